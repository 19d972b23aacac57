import { apiError } from '../errors.js';
import { takesCoding } from '../http/content-coding.js';
import { defineEndpoint } from './shared/define.js';
import { assertPagesOn } from './shared/page-definition.js';

/** A picture may be opened alone, and an SVG is a document then. */
const IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

export const getUiAsset = defineEndpoint({
  method: 'GET',
  path: '/ui/assets/{asset}',
  caller: 'none',
  assertOn: assertPagesOn,
  errorPage: (_app, _request, error) =>
    Promise.resolve({ status: error.status, body: '', headers: { 'Content-Type': 'text/html; charset=utf-8' } }),
  quiet: true,
  id: 'getPageAsset',
  tag: 'Pages',
  summary: 'A style sheet, script or image of the pages.',
  answers: {
    200: {
      description: 'The file, which never changes under its name.',
      contentType: 'text/css',
      body: { type: 'string' },
    },
  },
  errors: ['pagesDisabled', 'assetNotFound'],
  handler({ pages }, request) {
    const asset = pages!.assets.get(request.params.asset);
    if (asset === undefined) throw apiError('assetNotFound');
    const packed = takesCoding(request.header('accept-encoding'), 'br') ? asset.brotli : null;
    return {
      status: 200,
      body: packed ?? asset.bytes,
      headers: {
        'Content-Type': asset.type,
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Cross-Origin-Resource-Policy': 'same-origin',
        ...(asset.type.startsWith('image/') && { 'Content-Security-Policy': IMAGE_POLICY }),
        ...(asset.brotli !== null && { Vary: 'Accept-Encoding' }),
        ...(packed !== null && { 'Content-Encoding': 'br' }),
      },
    };
  },
});
