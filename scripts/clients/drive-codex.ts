// Runs Codex CLI, with the settings of docs/clients.md, on every model: one question that has it call a tool, in a folder of its own.
// The command that the emulator has it run does not exist.
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { catalogueModels } from '../../src/providers/model-catalogue.ts'
import { failureOutput, run as runTool } from '../external-tools.ts'
import { makeTemporaryFolder } from '../temporary-folder.ts'
import type { OnVerdict } from './drive-node.ts'
import type { SdkTestSetup } from './sdk-test-setup.ts'

export const CODEX = { name: 'Codex', pin: '@openai/codex@0.171.0' } as const

/** Codex calls its tools by these names: of models that it knows, and of others. */
const PROMPT = 'Use functions__exec or exec_command.'

const ANSWER = /"type":"agent_message","text":"[^"]*Countersign emulator/

/** Judges one run for each model. */
export async function driveCodex(cache: string, setup: SdkTestSetup, onVerdict: OnVerdict): Promise<void> {
  const program = await installCodex(cache)
  const openAiModels = new Set(catalogueModels().flatMap(({ id, provider }) => (provider === 'openai' ? [id] : [])))
  for (const { id: model } of setup.models) {
    const name = { client: CODEX.name, feature: 'streamed tools', model } as const
    const home = await makeTemporaryFolder()
    await writeFile(join(home, 'config.toml'), configOf(setup.proxy.baseUrlOf(name), openAiModels.has(model)))
    setup.begin()
    const asked = ['exec', '--json', '--skip-git-repo-check', '--ephemeral', '-m', model, PROMPT]
    // Codex reads its input to the end.
    const command = ['sh', '-c', 'exec "$0" "$@" < /dev/null', program, ...asked] as const
    const said = await runTool(command, home, { CODEX_HOME: home, GATEWAY_KEY: setup.key }).catch(failureOutput)
    const problem = ANSWER.test(said) ? null : said.slice(-300)
    onVerdict(name, await setup.end(name, { problem, told: [] }))
  }
}

const configOf = (baseUrl: string, isOpenAi: boolean): string =>
  [
    'model_provider = "countersign"',
    'web_search = "disabled"',
    ...(isOpenAi ? ['model_reasoning_effort = "none"'] : []),
    '[model_providers.countersign]',
    'name = "Countersign"',
    `base_url = "${baseUrl}"`,
    'env_key = "GATEWAY_KEY"',
    'wire_api = "responses"',
    '',
  ].join('\n')

/** Installs the pinned version once, and returns its program. */
async function installCodex(cache: string): Promise<string> {
  const folder = join(cache, CODEX.pin.replaceAll(/[^\w.]/g, '-'))
  const program = join(folder, 'node_modules/.bin/codex')
  if (existsSync(program)) return program
  await mkdir(folder, { recursive: true })
  await runTool(['npm', 'install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', CODEX.pin], folder)
  return program
}
