/** QR codes as SVG. */
import { encode } from 'uqr';

/** ISO/IEC 18004 asks for a margin of four modules. */
const MARGIN_MODULES = 4;
const PIXELS_PER_MODULE = 4;
/** Choosing the best of the eight masks takes 6 ms, one of them 0.5 ms; readers take any. */
const MASK_PATTERN = 0;

/** Longer texts make an image of more than 25 kB, which the cameras of phones read badly. */
export const MAX_QR_BYTES = 900;

/**
 * The QR code of a text as an SVG document with one path: a line per run of dark modules. Clients put it behind
 * `data:image/svg+xml;utf-8,` unescaped, so it holds no `#`, `%` or double quote.
 * @param text at most {@link MAX_QR_BYTES} long
 * @throws RangeError for more than fits into a QR code
 */
export function drawQrCode(text: string): string {
  const { data, size } = encode(text, { ecc: 'M', border: MARGIN_MODULES, maskPattern: MASK_PATTERN });
  const pixels = size * PIXELS_PER_MODULE;
  const area = `width='${size}' height='${size}'`;
  return (
    `<svg xmlns='http://www.w3.org/2000/svg' width='${pixels}' height='${pixels}' viewBox='0 0 ${size} ${size}'>` +
    `<rect ${area} fill='white'/><path stroke='black' shape-rendering='crispEdges' d='${drawRuns(data)}'/></svg>`
  );
}

/** Each row is stroked in its middle, with lines as wide as a module. */
function drawRuns(rows: readonly (readonly boolean[])[]): string {
  let path = '';
  for (const [y, row] of rows.entries()) {
    let at: number | null = null;
    for (let x = 0; x < row.length; ) {
      let end = x;
      while (row[end] === true) end++;
      if (end === x) {
        x++;
        continue;
      }
      path += at === null ? `M${x} ${y}.5` : `m${x - at} 0`;
      path += `h${end - x}`;
      at = end;
      x = end;
    }
  }
  return path;
}
