/** Where a sign-in at a provider that began on the hosted pages comes back to; relative to the external URL. */
export const returnPath = (pageFlowId: string): string => `ui/return?flow=${pageFlowId}`;
