/** Where the metadata of an identity provider comes from: a file, text, or an address. What was given in each way stays. */
import { useState } from 'preact/hooks';
import type { ApiFault } from '../../core/api.js';
import { Radios } from '../../parts/radios.js';

interface MetadataProps {
  /** False: empty keeps what is stored. */
  readonly isNew: boolean;
  /** Only owners name an address that the server reads. */
  readonly mayName: boolean;
  /** Where it came from until now. */
  readonly isFile: boolean;
  /** Why it was refused. */
  readonly fault: ApiFault | null;
}

export function MetadataFields({ isNew, mayName, isFile, fault }: MetadataProps) {
  const [source, setSource] = useState<'url' | 'xml'>(mayName && !isFile ? 'url' : 'xml');
  const [url, setUrl] = useState('');
  const [xml, setXml] = useState('');
  const [unread, setUnread] = useState('');
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    try {
      setXml(await file.text());
      setUnread('');
    } catch {
      setUnread(`${file.name} cannot be read.`);
    }
  };
  const wrong = fault === null ? {} : ({ 'aria-invalid': true, 'aria-describedby': 'metadata-fault' } as const);
  const hint = isNew ? '' : '; empty: as it is';
  return (
    <>
      {mayName && (
        <Radios
          legend="Metadata from"
          name="source"
          choices={[
            ['url', 'Metadata at an address'],
            ['xml', 'Metadata in a file'],
          ]}
          chosen={source}
          choose={setSource}
        />
      )}
      {source === 'url' ? (
        <label class="field">
          <span>
            Address of the metadata <small>https://, read again each day{hint}</small>
          </span>
          <input
            name="metadata_url"
            type="url"
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
            required={isNew}
            autocomplete="off"
            {...wrong}
          />
        </label>
      ) : (
        <>
          <label class="field">
            <span>Metadata file</span>
            <input
              type="file"
              accept=".xml,application/xml,text/xml,application/samlmetadata+xml"
              onChange={(event) => void take(event.currentTarget.files?.[0])}
            />
          </label>
          <label class="field">
            <span>
              Metadata <small>the file dropped here, or its text{hint}</small>
            </span>
            <textarea
              class="lines"
              name="metadata_xml"
              rows={4}
              value={xml}
              onInput={(event) => setXml(event.currentTarget.value)}
              onDragOver={(event) => event.preventDefault()}
              onDrop={(event) => {
                const file = event.dataTransfer?.files[0];
                if (file === undefined) return;
                event.preventDefault();
                void take(file);
              }}
              required={isNew}
              spellcheck={false}
              {...wrong}
            />
          </label>
        </>
      )}
      {(fault !== null || unread !== '') && (
        <p id="metadata-fault" class="fault small" role="alert">
          {unread || fault?.message}
        </p>
      )}
    </>
  );
}
