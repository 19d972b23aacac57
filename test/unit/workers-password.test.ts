import argon2 from 'argon2';
import bcrypt from 'bcryptjs';
import { type Argon2Cost, type Argon2Engine, loadArgon2Engine } from '../../src/workers/tasks/argon2-engine.js';
import { makeDecoys } from '../../src/workers/tasks/decoy-hash.js';
import { makePasswordTasks } from '../../src/workers/tasks/password.js';
import { parseStoredHash } from '../../src/workers/tasks/stored-hash.js';
import { cheapArgon2 } from '../support/crypto-pool.js';
import { t } from '../support/tap.js';

const engines = await Promise.all([loadArgon2Engine('accelerator'), loadArgon2Engine('portable')]);
const password = 'correct horse battery staple';

t.test('the accelerator is used when it loads', async (t) => {
  t.equal((await loadArgon2Engine(undefined)).name, '@node-rs/argon2');
  t.same(
    engines.map(({ name }) => name),
    ['@node-rs/argon2', 'argon2'],
  );
});

t.test('each engine verifies the hashes of both, and so does the argon2 package itself', async (t) => {
  for (const parameters of [cheapArgon2, { memoryKiB: 256, iterations: 3, parallelism: 4 }]) {
    for (const writer of engines) {
      const hash = await makePasswordTasks(writer, parameters).hash(password);
      t.match(hash, new RegExp(`^\\$argon2id\\$v=19\\$m=${parameters.memoryKiB},t=${parameters.iterations},p=`));
      t.ok(await argon2.verify(hash, password), `${writer.name}, read by the package`);
      for (const reader of engines) {
        const tasks = makePasswordTasks(reader, parameters);
        t.same(await tasks.verify(password, hash), { matches: true, renewedHash: null });
        t.same(await tasks.verify(`${password}.`, hash), { matches: false, renewedHash: null });
      }
    }
  }
});

t.test('two hashes of one password differ', async (t) => {
  const tasks = makePasswordTasks(engines[0]!, cheapArgon2);
  t.not(await tasks.hash(password), await tasks.hash(password));
});

// argon2: phc-winner-argon2, test.c. bcrypt: Openwall crypt_blowfish 1.3, wrapper.c. Firebase: the README of
// https://github.com/firebase/scrypt, its parts joined as Latchkey stores them.
const known: [what: string, password: string, hash: string][] = [
  ['argon2i', 'password', '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8'],
  ['argon2id', 'password', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
  [
    'argon2id, 2 lanes',
    'password',
    '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc',
  ],
  ['bcrypt 2a', 'U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['bcrypt 2b', 'U*U*', '$2b$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK'],
  ['bcrypt 2y', 'U*U*U', '$2y$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'],
  ['bcrypt, empty', '', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy'],
  [
    'Firebase',
    'user1password',
    '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
  ],
];

for (const engine of engines) {
  t.test(`published hashes are verified, with ${engine.name}`, async (t) => {
    const tasks = makePasswordTasks(engine, cheapArgon2);
    for (const [what, right, hash] of known) {
      t.ok((await tasks.verify(right, hash)).matches, what);
      t.notOk((await tasks.verify(`${right}x`, hash)).matches, `${what}, wrong password`);
    }
  });
}

t.test('a hash of another kind or lower cost is renewed if the password is right', async (t) => {
  const tasks = makePasswordTasks(engines[0]!, { memoryKiB: 64, iterations: 2, parallelism: 1 });
  for (const [what, right, hash] of known) {
    const { renewedHash } = await tasks.verify(right, hash);
    // The argon2id ones are dearer than what is configured here.
    if (what.startsWith('argon2id')) {
      t.equal(renewedHash, null, what);
      continue;
    }
    t.match(renewedHash, /^\$argon2id\$v=19\$m=64,t=2,p=1\$/, what);
    t.same(await tasks.verify(right, renewedHash), { matches: true, renewedHash: null }, what);
    t.equal((await tasks.verify(`${right}x`, hash)).renewedHash, null, what);
  }
  for (const weaker of [
    { memoryKiB: 63, iterations: 2, parallelism: 1 },
    { memoryKiB: 64, iterations: 1, parallelism: 1 },
  ]) {
    const old = await makePasswordTasks(engines[0]!, weaker).hash(password);
    t.match((await tasks.verify(password, old)).renewedHash, /m=64,t=2,p=1/);
  }
});

t.test('one password in two Unicode forms', async (t) => {
  const typed: string[] = [];
  const counting: Argon2Engine = {
    name: 'counting',
    derive(text, salt, cost) {
      typed.push(text);
      return engines[0]!.derive(text, salt, cost);
    },
  };
  const tasks = makePasswordTasks(counting, cheapArgon2);
  const composed = 'Zürich ﬁve';
  const decomposed = composed.normalize('NFD');
  const form = composed.normalize('NFKC');
  for (const given of [composed, decomposed, form]) {
    const hash = await tasks.hash(given);
    for (const other of [composed, decomposed, form]) {
      t.same(await tasks.verify(other, hash), { matches: true, renewedHash: null });
    }
  }
  t.strictSame([...new Set(typed)], [form]);

  for (const hash of [bcrypt.hashSync(decomposed, 4), await argon2.hash(decomposed, { memoryCost: 64, timeCost: 2 })]) {
    t.notOk((await tasks.verify(form, hash)).matches, 'a hash of the bytes that were typed needs these');
    const { matches, renewedHash } = await tasks.verify(decomposed, hash);
    t.ok(matches);
    t.same(await tasks.verify(form, renewedHash), { matches: true, renewedHash: null }, 'once');
  }

  typed.length = 0;
  const stored = [await tasks.hash(password), null, 'plaintext'];
  typed.length = 0;
  for (const hash of stored) t.notOk((await tasks.verify(decomposed, hash)).matches);
  t.strictSame(typed, [form, decomposed, form, decomposed, form, decomposed], 'the same work with and without a hash');
  typed.length = 0;
  for (const hash of stored) await tasks.verify('ASCII', hash);
  t.equal(typed.length, 3);
});

t.test('SEC-47 without a hash, or with an unreadable one, a decoy costs the configured work', async (t) => {
  const parameters = { memoryKiB: 48, iterations: 3, parallelism: 2 };
  const costs: Argon2Cost[] = [];
  const counting: Argon2Engine = {
    name: 'counting',
    derive(text, salt, cost) {
      costs.push(cost);
      return engines[0]!.derive(text, salt, cost);
    },
  };
  const tasks = makePasswordTasks(counting, parameters);
  const real = await tasks.hash(password);
  costs.length = 0;
  for (const stored of [
    real,
    null,
    '',
    'plaintext',
    '$argon2id$v=19$m=99999999,t=2,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA',
  ]) {
    t.same(await tasks.verify('a wrong password', stored), { matches: false, renewedHash: null });
  }
  t.equal(costs.length, 5, 'one derivation each');
  t.ok(costs.every((cost) => cost.memoryKiB === 48 && cost.iterations === 3 && cost.parallelism === 2));
});

t.test('unusable hashes', async (t) => {
  const salt = 'c29tZXNhbHQ';
  const digest = 'iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8';
  const signerKey = Buffer.alloc(64, 1).toString('base64');
  const refused = [
    `$argon2d$v=19$m=256,t=2,p=1$${salt}$${digest}`,
    `$argon2i$v=16$m=256,t=2,p=1$${salt}$${digest}`,
    `$argon2i$m=256,t=2,p=1$${salt}$${digest}`,
    `$argon2id$v=19$m=256,t=2,p=1,keyid=aa$${salt}$${digest}`,
    `$argon2id$v=19$m=256,t=2,p=1,data=aaaa$${salt}$${digest}`,
    `$argon2id$v=19$m=1048577,t=2,p=1$${salt}$${digest}`,
    `$argon2id$v=19$m=256,t=21,p=1$${salt}$${digest}`,
    `$argon2id$v=19$m=256,t=2,p=17$${salt}$${digest}`,
    `$argon2id$v=19$m=8,t=2,p=2$${salt}$${digest}`,
    `$argon2id$v=19$m=256,t=0,p=1$${salt}$${digest}`,
    `$argon2id$v=19$m=256,t=2,p=1$${salt}=$${digest}`,
    `$argon2id$v=19$m=256,t=2,p=1$${salt}$`,
    `$argon2id$v=19$m=256,t=2,p=1$${salt}$${digest}\n`,
    '$argon2id$test',
    '$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    '$2a$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    '$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
    '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe',
    // An empty signer key would encrypt to an empty digest under every password.
    '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=$42xEC+ixf3L2lw==$',
    '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==$42xEC+ixf3L2lw==$',
    `$fbscrypt$v=1,n=14,r=8,p=1,sk=${signerKey}$42xEC+ixf3L2lw==$ZGlmZmVyZW50aGFzaA==`,
    `$fbscrypt$v=1,n=17,r=8,p=1,sk=${signerKey}$42xEC+ixf3L2lw==$${signerKey}`,
    `$fbscrypt$v=2,n=14,r=8,p=1,sk=${signerKey}$42xEC+ixf3L2lw==$${signerKey}`,
    'plaintext',
    '',
    'a'.repeat(2000),
  ];
  for (const hash of refused) t.equal(parseStoredHash(hash), null, hash.slice(0, 80));
  for (const [what, , hash] of known) t.not(parseStoredHash(hash), null, what);
});

t.test('SEC-92 a decoy of another kind costs the same as that kind, and no password matches it', async (t) => {
  const costs: Argon2Cost[] = [];
  const counting: Argon2Engine = {
    name: 'counting',
    derive(text, salt, cost) {
      costs.push(cost);
      return engines[0]!.derive(text, salt, cost);
    },
  };
  const tasks = makePasswordTasks(counting, cheapArgon2);
  const no = { matches: false, renewedHash: null };
  t.same(await tasks.verify(password, null, '$argon2i$v=19$m=64,t=4,p=2'), no);
  t.match(costs, [{ variant: 'argon2i', memoryKiB: 64, iterations: 4, parallelism: 2, digestBytes: 32 }]);
  costs.length = 0;
  for (const kind of ['$2a$04', '$2y$05', '$fbscrypt$v=1,n=4,r=2,p=1'])
    t.same(await tasks.verify(password, null, kind), no);
  t.same(costs, [], 'no Argon2 for these');
  // Costlier than any import may be, and nothing at all.
  for (const kind of ['$2a$31', '$argon2id$v=19$m=99999999,t=2,p=1', 'plaintext', '']) {
    t.same(await tasks.verify(password, null, kind), no, kind);
  }
  t.equal(costs.length, 4, 'the usual decoy');
  costs.length = 0;
  const hash = await tasks.hash(password);
  t.match(await tasks.verify(password, hash, '$2a$04'), { matches: true }, 'a hash that is there is what counts');
});

t.test('SEC-92 a decoy can be parsed', async (t) => {
  const decoys = makeDecoys({ ...cheapArgon2, variant: 'argon2id', digestBytes: 32 });
  t.match(decoys.of('$2b$10'), { kind: 'bcrypt', setting: /^\$2b\$10\$.{22}$/ });
  t.match(decoys.of('$fbscrypt$v=1,n=14,r=8,p=1'), { kind: 'firebase', costLog2: 14, blockSize: 8, parallelism: 1 });
  t.match(decoys.of(null), { kind: 'argon2', cost: { memoryKiB: cheapArgon2.memoryKiB } });
  t.equal(decoys.of('$2b$10'), decoys.of('$2b$10'), 'made once');
  for (let cost = 4; cost < 17; cost++) {
    for (const version of 'aby') t.ok(decoys.has(decoys.of(`$2${version}$${String(cost).padStart(2, '0')}`)));
  }
});
