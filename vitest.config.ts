import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

// Invented secrets, for tests only.
const TEST_SECRETS = {
  KEY_PEPPERS: `b:${'b1'.repeat(32)},a:${'a1'.repeat(32)}`,
  OPERATOR_TOKEN: 'operator-token-for-tests-only-0123456789',
}

export default defineConfig({
  test: {
    silent: 'passed-only',
    projects: [
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: { ...TEST_SECRETS, TEST_MIGRATIONS: await readD1Migrations('./data/migrations') },
            },
          })),
        ],
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          isolate: false,
          testTimeout: 60_000,
          setupFiles: ['./test/support/unit/setup.ts'],
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts', 'test/architecture/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
