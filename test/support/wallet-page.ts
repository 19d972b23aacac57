/** A page that signs in with wallets, by the client's own method. The test has the keys, as a wallet has. */

export const walletPage = `<!doctype html>
<title>Wallets</title>
<p id="who">signed out</p>
<p id="problem"></p>
<script type="importmap">{ "imports": { "tslib": "/auth-js/tslib" } }</script>
<script type="module">
  import { AuthClient } from '/auth-js/index';
  const port = location.pathname.split('/')[2];
  const show = (id, text) => { document.getElementById(id).textContent = text };
  const client = new AuthClient({ url: 'http://localhost:' + port, autoRefreshToken: false });
  const sign = async (chain, text) => Uint8Array.from(await window.signAsWallet(chain, text));
  const decode = (bytes) => new TextDecoder().decode(bytes);
  const fromHex = (text) => decode(Uint8Array.from(text.slice(2).match(/../g), (pair) => parseInt(pair, 16)));
  const { ethereum: ethereumAddress, solana: solanaAddress } = await window.walletAddresses();
  const ethereum = {
    request: async ({ method, params }) => {
      if (method === 'eth_requestAccounts') return [ethereumAddress];
      if (method === 'eth_chainId') return '0x1';
      return window.signAsWallet('ethereum', fromHex(params[0]));
    },
  };
  // The older interface of wallets of Solana, and Wallet Standard's.
  const publicKey = { toBase58: () => solanaAddress };
  const signsMessages = { publicKey, signMessage: (bytes) => sign('solana', decode(bytes)) };
  const signsIn = {
    signIn: async ({ domain, statement, uri, version, issuedAt }) => {
      const signedMessage = [domain + ' wants you to sign in with your Solana account:', solanaAddress, '',
        ...(statement ? [statement, ''] : []), 'URI: ' + uri, 'Version: ' + version, 'Issued At: ' + issuedAt].join('\\n');
      return [{ signedMessage: new TextEncoder().encode(signedMessage), signature: await sign('solana', signedMessage) }];
    },
  };
  window.ethereum = ethereum;
  const ways = {
    ethereum: { chain: 'ethereum', statement: 'I accept the terms.' },
    'ethereum wallet': { chain: 'ethereum', wallet: ethereum },
    'solana signMessage': { chain: 'solana', wallet: signsMessages, statement: 'I accept the terms.' },
    'solana signIn': { chain: 'solana', wallet: signsIn },
  };
  window.signIn = async (way, options) => {
    const { data, error } = await client.signInWithWeb3({ ...ways[way], options });
    show('problem', error ? error.message : '');
    const { data: { user } } = await client.getUser();
    show('who', user ? way + ' ' + user.identities[0].id : 'signed out');
    return error ? null : data.user.id;
  };
  window.signOut = () => client.signOut({ scope: 'local' });
  document.title = 'ready';
</script>`;
