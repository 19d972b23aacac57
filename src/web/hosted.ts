/** Improves the hosted pages; they work without it, passkeys and security keys excepted. */

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-wait]')) countDown(button);
for (const box of document.querySelectorAll<HTMLInputElement>('input[data-shows]')) showPassword(box);
for (const form of document.querySelectorAll<HTMLFormElement>('form:not([data-again])')) sendOnce(form);
for (const field of document.querySelectorAll<HTMLInputElement>('input[autocomplete="one-time-code"]')) tidyCode(field);
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-credential]')) void useCredential(form);
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-print]')) offerPrint(button);
for (const place of document.querySelectorAll<HTMLElement>('[data-signal]')) signalPasskeys(place);

/** A new code can be asked for once the time is over. */
function countDown(button: HTMLButtonElement): void {
  const label = button.textContent ?? '';
  const waiting = button.dataset['waiting'] ?? '';
  const end = Date.now() + Number(button.dataset['wait']) * 1000;
  const tick = () => {
    const seconds = Math.ceil((end - Date.now()) / 1000);
    button.disabled = seconds > 0;
    button.textContent = seconds > 0 ? waiting.replace('{seconds}', String(seconds)) : label;
    if (seconds > 0) setTimeout(tick, 500);
  };
  tick();
}

function showPassword(box: HTMLInputElement): void {
  const field = document.getElementById(box.dataset['shows'] ?? '') as HTMLInputElement | null;
  box.closest<HTMLElement>('[hidden]')?.removeAttribute('hidden');
  box.addEventListener('change', () => {
    if (field !== null) field.type = box.checked ? 'text' : 'password';
  });
  // Password managers look at the type when the form is sent.
  box.form?.addEventListener('submit', () => {
    if (field !== null) field.type = 'password';
  });
}

/** A second click would send the form again. */
function sendOnce(form: HTMLFormElement): void {
  let isSent = false;
  form.addEventListener('submit', (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
  });
  // Back shows the page as it was.
  addEventListener('pageshow', () => {
    isSent = false;
  });
}

/** Pasted codes may have spaces or dashes between the digits. */
function tidyCode(field: HTMLInputElement): void {
  field.addEventListener('input', () => {
    if (/^[\d\s-]+$/.test(field.value)) field.value = field.value.replace(/[\s-]/g, '');
  });
}

function offerPrint(button: HTMLButtonElement): void {
  button.hidden = false;
  button.addEventListener('click', () => print());
}

/** Browsers offer no passkeys that were deleted (WebAuthn Level 3, 5.1.10); few have the method yet. */
function signalPasskeys(place: HTMLElement): void {
  const api = globalThis.PublicKeyCredential as unknown as
    | { signalAllAcceptedCredentials?: (accepted: unknown) => Promise<void> }
    | undefined;
  api?.signalAllAcceptedCredentials?.(JSON.parse(place.dataset['signal'] ?? 'null')).catch(() => undefined);
}

type JsonCredential = { toJSON(): unknown };

/** Puts the browser's answer into the form, and sends it. */
async function useCredential(form: HTMLFormElement): Promise<void> {
  const kind = form.dataset['credential'];
  const field = form.elements.namedItem('credential_json') as HTMLInputElement | null;
  const json = JSON.parse(form.dataset['options'] ?? 'null');
  const api = globalThis.PublicKeyCredential;
  if (field === null || json === null || api?.parseRequestOptionsFromJSON === undefined) return;
  let offered: AbortController | undefined;
  const ask = async (mediation: CredentialMediationRequirement, signal?: AbortSignal): Promise<void> => {
    try {
      const credential =
        kind === 'create'
          ? await navigator.credentials.create({ publicKey: api.parseCreationOptionsFromJSON(json) })
          : await navigator.credentials.get({
              publicKey: api.parseRequestOptionsFromJSON(json),
              mediation,
              ...(signal && { signal }),
            });
      if (credential === null) return;
      field.value = JSON.stringify((credential as unknown as JsonCredential).toJSON());
      form.requestSubmit();
    } catch {
      // The person closed the dialog; the button opens it again.
    }
  };
  form.removeAttribute('hidden');
  form.querySelector('button')?.addEventListener('click', (event) => {
    if (field.value !== '') return;
    event.preventDefault();
    offered?.abort();
    void ask('optional');
  });
  if (kind === 'offer' && (await api.isConditionalMediationAvailable?.())) {
    offered = new AbortController();
    await ask('conditional', offered.signal);
  }
  if (kind === 'ask') await ask('optional');
}
