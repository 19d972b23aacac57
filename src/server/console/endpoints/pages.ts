/** The pages of the console: one document, whose script shows the page of the address. It names the parts of the script to load. */

import { apiError } from '../../errors.js';
import { takesCoding } from '../../http/content-coding.js';
import type { ApiRequest, Route } from '../../http/types.js';
import type { App } from '../../runtime/app.js';
import type { ConsoleFiles } from '../console-files.js';

/** They name no role: the document holds nothing, and what its script asks for is guarded by consoleEndpoints. */
export function pageRoutes(files: ConsoleFiles): readonly Route<App>[] {
  const documents = new Map([['/link', files.entrance] as const, ...files.pages]);
  return [
    ...[...documents].map(([path, body]): Route<App> => {
      const answer = { status: 200, body, headers: { 'Content-Type': 'text/html; charset=utf-8' } };
      return { method: 'GET', path, caller: 'none', quiet: true, handler: () => answer };
    }),
    {
      method: 'GET',
      path: '/assets/{asset}',
      caller: 'none',
      quiet: true,
      handler: (_app, request) => answerAsset(files, request),
    },
  ];
}

/** @throws ApiError assetNotFound */
function answerAsset({ assets }: ConsoleFiles, request: ApiRequest<unknown, unknown, string, 'asset'>) {
  const asset = assets.get(request.params.asset);
  if (asset === undefined) throw apiError('assetNotFound');
  const accepted = request.header('accept-encoding');
  const coding = [...asset.packed.keys()].find((name) => takesCoding(accepted, name));
  return {
    status: 200,
    body: coding === undefined ? asset.bytes : asset.packed.get(coding)!,
    headers: {
      'Content-Type': asset.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
      ...(coding !== undefined && { 'Content-Encoding': coding }),
    },
  };
}
