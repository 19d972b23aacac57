/** A field above the tables of settings and errors, which hides the rows without the words that are typed. */
import { useData } from 'vitepress';
import { h, ref, watch } from 'vue';

const PAGES = /^(?:settings|errors\/[\w-]+)\.md$/;

export const FilterRows = {
  setup() {
    const { page } = useData();
    const words = ref('');
    watch(
      () => page.value.relativePath,
      () => {
        words.value = '';
      },
    );
    watch(words, showRows);
    return () =>
      PAGES.test(page.value.relativePath) &&
      h('input', {
        ...{ class: 'filter-rows', type: 'search', 'aria-label': 'Filter the rows', value: words.value },
        placeholder: 'Filter by name or meaning',
        onInput: (event) => {
          words.value = event.target.value;
        },
      });
  },
};

/** Hides rows, and sections of which no row is left. */
function showRows(text) {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  let section = [];
  let shown = 0;
  const endSection = () => {
    for (const part of section) part.hidden = wanted.length > 0 && shown === 0;
    section = [];
    shown = 0;
  };
  for (const element of document.querySelector('.vp-doc > div').children) {
    if (element.tagName === 'H1') continue;
    if (element.tagName === 'H2') endSection();
    section.push(element);
    for (const row of element.querySelectorAll('tbody tr[id], tbody tr[id] ~ tr')) {
      const content = row.textContent.toLowerCase();
      row.hidden = !wanted.every((word) => content.includes(word));
      if (!row.hidden) shown += 1;
    }
  }
  endSection();
}
