/** A setting that is an image: shown, replaced by a file, removed. */
import { useState } from 'preact/hooks';
import { readAsUrl } from '../core/read-file.js';
import { type ControlProps, describedBy } from './control-props.js';

/** As the server has it (src/server/config/parse-image.ts). */
const MAX_BYTES = 102_400;

export function ImageControl({ setting, text, isOff, isWrong, put }: ControlProps) {
  const [fault, setFault] = useState('');
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > MAX_BYTES) {
      setFault(`The file has ${Math.ceil(file.size / 1024)} kB; 100 kB are allowed.`);
      return;
    }
    try {
      const url = await readAsUrl(file);
      setFault('');
      put(url);
    } catch {
      setFault('The file cannot be read.');
    }
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
        id={setting.name}
        accept="image/png,image/jpeg,image/webp,image/svg+xml"
        disabled={isOff}
        aria-describedby={describedBy({ setting, isWrong })}
        onChange={(event) => void choose(event.currentTarget.files?.[0])}
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
