/** What the environment and the files set, as text: what an import puts into the database. */
import type { ConfigSources } from './load.js';
import { mainNameOf, namesOf, placeWithCustom } from './settings.js';
import { findText, openLayers } from './sources.js';

/** @returns main name → text, secrets in files included; what has a fault is left out */
export function readGivenTexts({ environment, ...files }: ConfigSources): ReadonlyMap<string, string> {
  const findings = { faults: [], notices: [] };
  const layers = openLayers(environment, files, findings).filter(({ origin }) => origin !== 'fallback');
  const texts = new Map<string, string>();
  for (const { setting } of placeWithCustom(layers.flatMap(({ values }) => [...values.keys()]))) {
    const found = findText(setting, layers, findings);
    if (found) texts.set(mainNameOf(setting), found.text);
  }
  return texts;
}

/** @param names under which settings are read. @returns each with its main name, if it is one of a setting */
export function findMainNames(names: Iterable<string>): ReadonlyMap<string, string> {
  const wanted = [...names];
  const known = new Map(
    placeWithCustom(wanted).flatMap(({ setting }) =>
      namesOf(setting).map((name): [string, string] => [name, mainNameOf(setting)]),
    ),
  );
  return new Map(wanted.flatMap((name) => (known.has(name) ? [[name, known.get(name)!]] : [])));
}
