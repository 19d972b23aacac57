/** Where all forms about second factors go. */
export const FACTORS_PATH = 'account/factors';
