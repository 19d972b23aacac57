import { defineConfig } from '@playwright/test';

const { APP_PORT = '3100', LATCHKEY_PORT = '8090', CHROMIUM } = process.env;
const app = `http://localhost:${APP_PORT}`;

export default defineConfig({
  testDir: 'tests',
  globalSetup: './tests/start-latchkey.js',
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  use: {
    baseURL: app,
    trace: 'retain-on-failure',
    // Unset: the browser that `npx playwright install` has brought.
    launchOptions: { executablePath: CHROMIUM },
  },
  webServer: {
    command: 'npm start',
    url: app,
    env: { PORT: APP_PORT, LATCHKEY_URL: `http://localhost:${LATCHKEY_PORT}` },
  },
});
