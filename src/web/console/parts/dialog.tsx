/** A modal dialog of the browser, which keeps the focus and gives it back. */
import { type ComponentChildren, render } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ApiFault, asFault } from '../core/api.js';
import { rememberFocus } from '../core/focus.js';
import { Alert } from './alert.js';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Escape, or whatever else closes it. */
  readonly onClose: () => void;
  readonly isWide?: boolean;
}

export function Dialog({ title, children, onClose, isWide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Other effects run after the page is drawn: a key that comes before would go elsewhere.
  useLayoutEffect(() => {
    const dialog = element.current!;
    const giveBack = rememberFocus();
    dialog.showModal();
    return () => {
      dialog.close();
      // What is rendered with it, such as a list without the row, is in the document then.
      queueMicrotask(giveBack);
    };
  }, []);
  const cancel = (event: Event) => {
    event.preventDefault();
    onClose();
  };
  return (
    <AtEnd>
      <dialog ref={element} class={isWide ? 'wide' : ''} aria-labelledby={heading} onCancel={cancel}>
        <h2 id={heading}>{title}</h2>
        {children}
      </dialog>
    </AtEnd>
  );
}

/** At the end of the document: a page that goes stale turns its buttons off, and Cancel must not be one of them. */
function AtEnd({ children }: { readonly children: ComponentChildren }) {
  const place = useRef<HTMLDivElement | null>(null);
  useLayoutEffect(() => {
    const made = document.createElement('div');
    document.body.append(made);
    place.current = made;
    return () => {
      render(null, made);
      made.remove();
    };
  }, []);
  useLayoutEffect(() => render(children, place.current!));
  return null;
}

interface DeedProps {
  readonly title: string;
  /** On the button that does it. */
  readonly verb: string;
  readonly isDanger?: boolean;
  /** What it means, and further fields. */
  readonly children?: ComponentChildren;
  /** What has to be typed first. */
  readonly typed?: string | undefined;
  /** False where nothing keeps a reason. */
  readonly hasReason?: boolean;
  /** Whether the children show a refusal themselves, such as beside a field. */
  readonly saysItself?: (fault: ApiFault) => boolean;
  /** `stays`: what follows takes the place of the dialog. @throws ApiFault */
  readonly run: (given: { readonly reason: string | undefined; readonly form: FormData }) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before something is done, and why; a refusal is shown in the dialog. */
export function DeedDialog({
  title,
  verb,
  isDanger = false,
  children,
  typed,
  hasReason = true,
  saysItself = () => false,
  run,
  onClose,
}: DeedProps) {
  const [fault, setFault] = useState<ApiFault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [given, setGiven] = useState('');
  const isTyped = typed === undefined || given.trim().toLowerCase() === typed.toLowerCase();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy || !isTyped) return;
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    setFault(null);
    try {
      const next = await run({ reason: String(form.get('reason') ?? '').trim() || undefined, form });
      if (next !== 'stays') onClose();
    } catch (error) {
      setFault(asFault(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        {children}
        {typed !== undefined && (
          <label class="field">
            <span>
              Type <strong class="mono">{typed}</strong>
            </span>
            <input
              name="typed"
              value={given}
              onInput={(event) => setGiven(event.currentTarget.value)}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              required
            />
          </label>
        )}
        {hasReason && (
          <label class="field">
            <span>
              Reason <small>part of the audit entry</small>
            </span>
            <input name="reason" maxLength={500} autocomplete="off" />
          </label>
        )}
        {fault !== null && !saysItself(fault) && <Alert fault={fault} />}
        <div class="actions">
          <button type="button" class="plain" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={isDanger ? 'danger' : ''} disabled={!isTyped} aria-busy={isBusy}>
            {verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
