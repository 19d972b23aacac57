/** The words of a text: a long list of plain values on few lines. */
export const words = (text: string): string[] => text.split(/[ \n]+/).filter((word) => word !== '');
