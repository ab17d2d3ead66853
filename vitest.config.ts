import { join } from 'node:path'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { nameModules } from './scripts/pages/name-modules.ts'
import './test/support/end-children.ts'
import { makeTemporaryFolder } from './test/support/temporary-folder.ts'

// Invented secrets, for tests only.
const TEST_SECRETS = {
  KEY_PEPPERS: `b:${'b1'.repeat(32)},a:${'a1'.repeat(32)}`,
  OPERATOR_TOKEN: 'operator-token-for-tests-only-0123456789',
}

// For this process, which has the runtimes of the unit tests, and all that it starts. The tests start some hundred commands
// and some dozen Workers: they find each other's compiled code and bundles.
const TEMPORARY = makeTemporaryFolder()
const KEPT_BUNDLES = join(TEMPORARY, 'bundles')
Object.assign(process.env, {
  TMPDIR: TEMPORARY,
  NODE_COMPILE_CACHE: join(TEMPORARY, 'compiled'),
  KEPT_BUNDLES,
  // `npm start` in a test must not reinstall the packages that the other tests use.
  INSTALL: 'never',
  // A local runtime asks nobody on the network what a request's `cf` is to be.
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  ...('STALLS_MS' in process.env && {
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'test/support/stalls.ts')}`,
  }),
})

// Only what hangs is to end by them: a slow machine is no failure.
const TIME_LIMITS = { testTimeout: 240_000, hookTimeout: 240_000, expect: { poll: { timeout: 90_000 } } }

const ENDING_CHILDREN = ['--import', join(import.meta.dirname, 'test/support/end-children.ts')]

const provide = {
  /** What the cases of properties are multiplied by (test/support/runs.ts). */
  runs: Number(process.env['PROPERTY_RUNS'] ?? 1),
  /** Whether what the service logs in unit tests is shown where one fails (test/support/unit/quiet-logs.ts). */
  showsLogs: process.env['TEST_LOGS'] === '1',
}

type Part = {
  name: 'unit' | 'worker' | 'e2e'
  /** Globs under test/, without `.test.ts`. */
  files: readonly string[]
  except?: readonly string[]
  configOf: () => TestProjectInlineConfiguration
}

const ending = (files: readonly string[], end: string): string[] => files.map((file) => `test/${file}${end}`)

/** Slow tests end in `.release.test.ts`. Only `npm run test:release`, and so CI, runs them. */
function projectsOf({ name, files, except = [], configOf }: Part): TestProjectInlineConfiguration[] {
  const release = ending(files, '.release.test.ts')
  return [
    projectOf(
      { name, include: ending(files, '.test.ts'), exclude: [...release, ...ending(except, '.test.ts')] },
      configOf(),
    ),
    projectOf({ name: `release-${name}`, include: release, exclude: ending(except, '.release.test.ts') }, configOf()),
  ]
}

/** In the place of what the build writes: the logs of unit tests say nothing of the software. */
const NO_BUILD = {
  find: /^.*\/dist\/build\.json$/,
  replacement: join(import.meta.dirname, 'test/fixtures/no-build.json'),
}

/** A process takes one file after the other, which finds what those before it have loaded and launched. */
const projectOf = (
  own: { name: string; include: string[]; exclude?: string[] },
  { test, ...config }: TestProjectInlineConfiguration,
): TestProjectInlineConfiguration => ({
  ...config,
  resolve: { alias: [NO_BUILD] },
  test: { ...test, ...own, provide, ...TIME_LIMITS, isolate: false },
})

const isOfBrowser = ({ project }: TestSpecification): boolean => project.name === 'browser'

/** The longest file by far. Nothing would run beside its end if it started last. */
const isLongest = ({ moduleId }: TestSpecification): boolean => moduleId.includes('every-page')

const rank = (file: TestSpecification): number => (isOfBrowser(file) ? 2 : 0) - (isLongest(file) ? 1 : 0)

/** The browser's service starts while other tests run, so the browser's tests come last. */
class BrowserLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's, which returns a new list
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}

export default defineConfig({
  test: {
    silent: 'passed-only',
    // Three files at a time, whatever the machine: on two cores, one runs while another waits. Each has its own: storage, free
    // ports, folders. They run in processes or runtimes.
    maxWorkers: 3,
    sequence: { sequencer: BrowserLast },
    projects: [
      // Node, with the byte methods that workerd has.
      ...projectsOf({
        name: 'unit',
        files: ['unit/**/*'],
        except: ['unit/**/*.worker'],
        configOf: () => ({
          plugins: [nameModules],
          test: {
            execArgv: ['--js-base-64'],
            setupFiles: ['./test/support/unit/quiet-logs.ts', './test/support/bytes-in-node.ts'],
          },
        }),
      }),
      // workerd, with the service's storage.
      ...projectsOf({
        name: 'worker',
        files: ['unit/**/*.worker'],
        configOf: () => ({
          plugins: [
            cloudflareTest(async () => ({
              wrangler: { configPath: './wrangler.toml' },
              miniflare: {
                bindings: { ...TEST_SECRETS, TEST_MIGRATIONS: await readD1Migrations('./data/migrations') },
              },
            })),
          ],
          test: { setupFiles: ['./test/support/unit/quiet-logs.ts', './test/support/unit/empty-storage.ts'] },
        }),
      }),
      ...projectsOf({
        name: 'e2e',
        files: ['e2e/**/*', 'architecture/**/*'],
        configOf: () => ({
          test: {
            execArgv: ENDING_CHILDREN,
            globalSetup: ['./test/support/e2e/kept-bundles.ts'],
            setupFiles: ['./test/support/local-connections.ts'],
          },
        }),
      }),
      // One project, because each starts a service. `npm run test:release` runs it.
      projectOf(
        { name: 'browser', include: ['test/browser/**/*.test.ts'] },
        {
          test: {
            execArgv: ENDING_CHILDREN,
            globalSetup: ['./test/support/browser/service.ts'],
            setupFiles: ['./test/support/local-connections.ts', './test/support/browser/setup.ts'],
          },
        },
      ),
    ],
  },
})
