/** A setting that is an image: shown, replaced by a file, removed. */
import { useState } from 'preact/hooks';
import type { ControlProps } from './control-props.js';

/** As the server has it (src/server/config/parse-image.ts). */
const MAX_BYTES = 102_400;

export function ImageControl({ setting: { name, text: stored }, change, isOff, isWrong, put }: ControlProps) {
  const [fault, setFault] = useState('');
  const text = change === undefined ? stored : change.text;
  const choose = (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > MAX_BYTES) {
      setFault(`The file has ${Math.ceil(file.size / 1024)} kB; 100 kB are allowed.`);
      return;
    }
    const reader = new FileReader();
    reader.onload = () => {
      setFault('');
      put(String(reader.result));
    };
    reader.onerror = () => setFault('The file cannot be read.');
    reader.readAsDataURL(file);
  };
  return (
    <div class="image-control">
      {text !== null && text !== '' && (
        <p class="image">
          <img src={text} alt="The logo" />
        </p>
      )}
      <input
        type="file"
        id={name}
        accept="image/png,image/jpeg,image/webp,image/svg+xml"
        disabled={isOff}
        aria-describedby={`${name}-doc${isWrong ? ` ${name}-fault` : ''}`}
        onChange={(event) => choose(event.currentTarget.files?.[0])}
      />
      {fault !== '' && (
        <p class="fault small" role="alert">
          {fault}
        </p>
      )}
      {text !== null && text !== '' && !isOff && (
        <button type="button" class="plain small" onClick={() => put(null)}>
          Remove the logo
        </button>
      )}
    </div>
  );
}
