import { useResource } from '../core/resource.js';
import { confirmWith, type Me } from '../core/session.js';
import { askedStepUp } from '../core/state.js';
import { Dialog } from '../parts/dialog.js';
import { View } from '../parts/view.js';
import { ProofForm } from './proof-form.js';

/** Shown when a request needs it (core/api.ts), which is sent again afterwards. */
export function StepUpDialog() {
  const asked = askedStepUp.value;
  return asked === null ? null : <Question done={asked.done} />;
}

function Question({ done }: { readonly done: (isConfirmed: boolean) => void }) {
  const me = useResource<Me>('/api/me');
  const confirm = async (proof: object) => {
    await confirmWith(proof);
    done(true);
  };
  return (
    <Dialog title="Confirm that it is you" onClose={() => done(false)}>
      <p>What you are about to do asks for it. It then counts for ten minutes.</p>
      <View of={me} rows={2}>
        {({ operator, has_password, passkeys }) =>
          !has_password && passkeys.length === 0 ? (
            <NoFactor done={done} />
          ) : (
            <ProofForm
              verb="Confirm"
              name={operator.name}
              hasPassword={has_password}
              onPasskey={confirm}
              onPassword={confirm}
            />
          )
        }
      </View>
      <div class="actions">
        <button type="button" class="plain" onClick={() => done(false)}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

/** Only the operator of a development server has none, until it makes one here. */
function NoFactor({ done }: { readonly done: (isConfirmed: boolean) => void }) {
  return (
    <p>
      You have no passkey yet.{' '}
      <a href="/me" onClick={() => done(false)}>
        Add one to your account
      </a>{' '}
      first.
    </p>
  );
}
