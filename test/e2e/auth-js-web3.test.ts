import { serveAuthJsPage } from '../support/auth-js-page.js';
import { openDevices } from '../support/hosted/devices.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { openTestServer } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';
import { walletPage } from '../support/wallet-page.js';
import { makeEthereumWallet, makeSolanaWallet, walletSettings } from '../support/wallets.js';

onlyInFull('wallets in a browser; by HTTP: http/web3');

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await run(chromium);

async function run(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  const application = (await serveAuthJsPage(t, walletPage)).replace('127.0.0.1', 'localhost');
  const server = await openTestServer(t, { ...walletSettings, SITE_URL: application });
  const openDevice = openDevices(t, browser);

  t.test('signInWithWeb3, in a browser', async (t) => {
    const wallets = { ethereum: makeEthereumWallet(), solana: makeSolanaWallet() };
    const { page } = await openDevice();
    await page.exposeFunction('walletAddresses', () => ({
      ethereum: wallets.ethereum.address.toLowerCase(),
      solana: wallets.solana.address,
    }));
    await page.exposeFunction('signAsWallet', (chain: 'ethereum' | 'solana', message: string) => {
      const signature = wallets[chain].sign(message);
      return chain === 'ethereum' ? signature : [...Buffer.from(signature, 'base64url')];
    });
    await page.goto(`${application}/page/${new URL(server.url).port}`);
    await page.waitForFunction('document.title === "ready"');
    const signIn = (way: string, options = {}): Promise<string | null> =>
      page.evaluate(`window.signIn(${JSON.stringify(way)}, ${JSON.stringify(options)})`);

    const subjects = {
      ethereum: `web3:ethereum:${wallets.ethereum.address.toLowerCase()}`,
      solana: `web3:solana:${wallets.solana.address}`,
    };
    for (const chain of ['ethereum', 'solana'] as const) {
      const ways = chain === 'ethereum' ? ['ethereum', 'ethereum wallet'] : ['solana signMessage', 'solana signIn'];
      const ids = new Set<string | null>();
      for (const way of ways) {
        ids.add(await signIn(way));
        t.equal(await page.textContent('#problem'), '', way);
        t.equal(await page.textContent('#who'), `${way} ${subjects[chain]}`);
      }
      t.equal(ids.size, 1, 'the same person');
      await page.evaluate('window.signOut()');
    }

    t.equal(await signIn('ethereum', { url: 'https://other.example/' }), null);
    t.match(await page.textContent('#problem'), /not allowed on this server/);
    t.equal(await page.textContent('#who'), 'signed out');
  });
}
