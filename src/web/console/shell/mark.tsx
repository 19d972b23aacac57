/** The mark of Latchkey, as in icon.svg. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
    <rect width="32" height="32" rx="7" />
    <path d="M16 17v8m0-3h4M20.500 12.500a4.500 4.500 0 1 1-9 0 4.500 4.500 0 0 1 9 0Z" />
  </svg>
);
