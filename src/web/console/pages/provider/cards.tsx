import { Badge } from '../../parts/details.js';
import { addressOfProvider, type ShownProvider } from './shown-provider.js';
import { ProviderState } from './state.js';

interface CardsProps {
  readonly label: string;
  readonly providers: readonly ShownProvider[];
}

/** One card for each provider, which leads to its page. */
export const Cards = ({ label, providers }: CardsProps) => (
  <ul class="cards" aria-label={label}>
    {providers.map((provider) => (
      <li key={`${provider.source} ${provider.name}`} class="card">
        <div class="row">
          <a class="name" href={addressOfProvider(provider.name)}>
            {provider.title}
          </a>
          <ProviderState provider={provider} />
        </div>
        <p class="small muted">
          <code>{provider.name}</code>
          {provider.client_id !== null && (
            <>
              {' '}
              · client <code class="break">{provider.client_id}</code>
            </>
          )}
        </p>
        {provider.replaced_by !== null && (
          <p class="small muted">
            For applications that have it already; new ones take <code>{provider.replaced_by}</code>.
          </p>
        )}
        {!provider.is_callback_usual && (
          <p>
            <Badge tone="warn">the redirect is not where this server listens</Badge>
          </p>
        )}
      </li>
    ))}
  </ul>
);
