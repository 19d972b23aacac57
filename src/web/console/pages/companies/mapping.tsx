/** The attribute mapping of a company: a draft is tried on what the provider says before it is saved. */
import { useState } from 'preact/hooks';
import { type ApiFault, asFault, send } from '../../core/api.js';
import { may, toast } from '../../core/state.js';
import { Alert } from '../../parts/alert.js';
import { DeedDialog } from '../../parts/dialog.js';
import { Area } from '../../parts/field.js';
import { type Preview, PreviewResult } from './preview-result.js';
import { readMapping, type ShownCompany, writeMapping } from './shown-company.js';

interface MappingProps {
  readonly company: ShownCompany;
  readonly onSaved: (company: ShownCompany) => void;
}

type Given = 'message' | 'last';

export function Mapping({ company: { id, saml }, onSaved }: MappingProps) {
  const stored = writeMapping(saml.attribute_mapping);
  const [draft, setDraft] = useState(stored);
  const [message, setMessage] = useState('');
  const [preview, setPreview] = useState<Preview | null>(null);
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [busy, setBusy] = useState<Given | null>(null);
  const [isSaving, setSaving] = useState(false);
  const show = async (given: Given) => {
    if (busy !== null) return;
    setBusy(given);
    setFault(null);
    try {
      const body = { attribute_mapping: readMapping(draft), ...(given === 'message' && { message }) };
      setPreview((await send<Preview>('POST', `/api/sso-providers/${id}/preview`, { body })).data);
    } catch (error) {
      setPreview(null);
      setFault(asFault(error));
    }
    setBusy(null);
  };
  return (
    <section class="card">
      <h2>Attribute mapping</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void show('message');
        }}
      >
        <Area
          label="Mapping"
          name="attribute_mapping"
          hint="JSON; empty: only the address. Nothing is stored by trying"
          rows={8}
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
        />
        <Area
          label="Response or assertion"
          name="message"
          hint="XML or base64, also unsigned or expired"
          rows={4}
          value={message}
          onInput={(event) => setMessage(event.currentTarget.value)}
          required
        />
        <div class="deeds">
          <button type="submit" class="plain" aria-busy={busy === 'message'}>
            Try on this
          </button>
          {may('admin') && (
            <>
              <button type="button" class="plain" aria-busy={busy === 'last'} onClick={() => void show('last')}>
                Try on the last test
              </button>
              {draft.trim() !== stored && (
                <button type="button" onClick={() => setSaving(true)}>
                  Save mapping
                </button>
              )}
            </>
          )}
        </div>
      </form>
      {fault !== null && <Alert fault={fault} />}
      {preview !== null && <PreviewResult preview={preview} />}
      {isSaving && (
        <DeedDialog
          title="Save the mapping?"
          verb="Save mapping"
          onClose={() => setSaving(false)}
          run={async ({ reason }) => {
            const body = { attribute_mapping: readMapping(draft), reason };
            const { data } = await send<ShownCompany>('PUT', `/api/sso-providers/${id}`, { body });
            setDraft(writeMapping(data.saml.attribute_mapping));
            toast('Mapping saved');
            onSaved(data);
          }}
        >
          <p>It counts from the next sign-in of each person.</p>
        </DeedDialog>
      )}
    </section>
  );
}
