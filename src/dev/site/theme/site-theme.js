/** The theme of the site: that of VitePress, with a filter above the tables of settings and errors, and the forms of the API. */
import Theme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import ApiConsole from './api-console.vue';
import { FilterRows } from './filter-rows.js';
import './site.css';

export const siteTheme = {
  extends: Theme,
  Layout: () => h(Theme.Layout, null, { 'doc-before': () => h(FilterRows), 'doc-footer-before': () => h(ApiConsole) }),
};
