/** Starts the console in the document of every page. */
import { render } from 'preact';
import { startLocation } from './core/location.js';
import { startPreferences } from './core/preferences.js';
import { App } from './shell/app.js';
import { startKeys } from './shell/shortcuts.js';

startPreferences();
startLocation();
startKeys();
render(<App />, document.getElementById('console')!);
