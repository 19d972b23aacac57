/** Drawings of 16 by 16, in the colour of the text. They always stand beside words or a label. */
const paths = {
  users:
    'M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Zm-4.5 5.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M11 3.2a2.5 2.5 0 0 1 0 4.6m1.5 2.1c1.3.6 2 1.8 2 3.6',
  activity: 'M1.5 8h3l2-5 3 10 2-5h3',
  globe: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM1.5 8h13M8 1.5c-4 4-4 9 0 13 4-4 4-9 0-13',
  route: 'M3.5 14v-4a3 3 0 0 1 3-3h6m-2.5-3 3 3-3 3M3.5 4V2',
  sliders: 'M2 4.5h7m3 0h2M2 11.5h2m3 0h7M9 2.5v4m-5 3v4',
  shield: 'M8 1.5 2.5 3.5v4c0 3.3 2.2 5.8 5.5 7 3.3-1.2 5.5-3.7 5.5-7v-4L8 1.5Z',
  chart: 'M2 14V2m0 12h12M5 11V8m3 3V5m3 6V7',
  mail: 'M1.5 3.5h13v9h-13v-9Zm0 .5L8 9l6.5-5',
  key: 'M5.5 13a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM8 7l6-5m-2.5 2 2 2.5',
  bolt: 'M9 1.5 3 9h4.5L7 14.5 13 7H8.5L9 1.5Z',
  app: 'M2.5 2.5h4v4h-4v-4Zm7 0h4v4h-4v-4Zm-7 7h4v4h-4v-4Zm7 0h4v4h-4v-4Z',
  gauge: 'M2 12a6.5 6.5 0 1 1 12 0M8 10l3-3.5',
  question:
    'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM6 6.2c.2-1 1-1.7 2-1.7 1.2 0 2 .8 2 1.8 0 1.4-2 1.6-2 3m0 2.2v.1',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.7-1.3L14 14',
  menu: 'M2 4h12M2 8h12M2 12h12',
  close: 'm3.5 3.5 9 9m0-9-9 9',
  copy: 'M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8v-8Z',
  brush: 'M13.5 2.5 7 9m-1.5-.5a2.5 2.5 0 0 1 2 2c0 2-2 3.5-5 3 1.2-.9 1-2 1-2.800a2.200 2.200 0 0 1 2-2.200Z',
  check: 'm2.5 8.5 3.5 3.5 7.5-8',
  alert: 'M8 1.8 1.2 13.8h13.6L8 1.8ZM8 6v4m0 2v.1',
  person: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-5.5 6c0-3 2.5-4.5 5.5-4.5s5.5 1.5 5.5 4.5',
  link: 'M6.5 9.5a3 3 0 0 0 4.2 0l2.5-2.5A3 3 0 0 0 9 2.8l-1 1m1.5 2.7a3 3 0 0 0-4.2 0L2.8 9A3 3 0 0 0 7 13.2l1-1',
  chat: 'M2 3h12v8.5H7L4 14v-2.5H2V3Z',
  clock: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM8 4v4l2.5 2',
  tree: 'M6 2h4v3H6V2Zm-4.500 8.500h4v3h-4v-3Zm9 0h4v3h-4v-3ZM8 5v3M3.500 10.500V8h9v2.500',
  building: 'M3 14V2h7v12M10 6h3v8M1.5 14h13M5.5 5h2m-2 3h2m-2 3h2',
  door: 'M4 14V2h8v12M2 14h12M9.5 8v.1',
  next: 'm6 3 5 5-5 5',
  import: 'M8 2v8m-3-3 3 3 3-3M2.5 11v2.5h11V11',
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);
