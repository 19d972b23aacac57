/** What stands between asterisks are words of another page. */
export const Marked = ({ text }: { readonly text: string }) => (
  <>{text.split('*').map((part, i) => (i % 2 === 1 ? <strong key={i}>{part}</strong> : part))}</>
);
