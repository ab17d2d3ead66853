// Generates each client from the OpenAPI document, has it call the service, and compares its answers with plain HTTP calls.
import { isDeepStrictEqual } from 'node:util'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { issueGatewayKeys, issueKeys, startService } from '../../workerd/start-service.ts'
import { startEmulator } from '../../emulator/server.ts'
import { emulatedProviders } from '../../local/emulated-providers.ts'
import { isInstalled, run, failureOutput } from '../external-tools.ts'
import {
  sendReferenceCalls,
  letter,
  parseAnswers,
  QUESTION,
  type ReferenceAnswers,
  type ClientKeys,
} from './reference-calls.ts'
import { GENERATED_CLIENTS, type GeneratedClient } from './generated-client.ts'

type ServiceUnderTest = { url: string; keys: ClientKeys; documentPath: string; expected: ReferenceAnswers }

/** Checks all generated clients. Returns true if all that could be generated work, and at least one could. */
export async function checkGeneratedClients(folder: string): Promise<boolean> {
  const emulator = await startEmulator()
  const { server, target } = await startService(join(folder, 'generated'), { vars: emulatedProviders(emulator.url) })
  try {
    const [referral = ''] = await issueKeys(target, 1, 1)
    const [gateway = ''] = await issueGatewayKeys(target, 1)
    const keys = { referral, gateway }
    const documentPath = join(folder, 'openapi.json')
    await writeFile(documentPath, await (await fetch(`${target.url}/v1/openapi.json`)).text())
    const started = { url: target.url, keys, documentPath, expected: await sendReferenceCalls(target.url, keys) }
    const outcomes: boolean[] = []
    for (const [place, client] of GENERATED_CLIENTS.entries()) {
      const { name, needs } = client
      if (needs === null || (await isInstalled(needs))) {
        outcomes.push(await check(client, join(folder, `client-${place}`), started))
      } else console.log(`skipped  ${name}: it needs ${needs.what}, which is not installed here.`)
    }
    return outcomes.length > 0 && !outcomes.includes(false)
  } finally {
    await server.stop()
    await emulator.close()
  }
}

async function check(client: GeneratedClient, folder: string, started: ServiceUnderTest): Promise<boolean> {
  const { url, keys, documentPath, expected } = started
  await mkdir(folder)
  try {
    const command = await client.make(folder, documentPath)
    const env = { BASE_URL: url, REFERRAL_KEY: keys.referral, GATEWAY_KEY: keys.gateway, LETTER: letter(), QUESTION }
    const answers = parseAnswers(await run(command, folder, env))
    const isRight = isDeepStrictEqual(answers, expected)
    console.log(
      isRight ? `works    ${client.name}` : `differs  ${client.name}: ${JSON.stringify({ answers, expected })}`,
    )
    return isRight
  } catch (thrown) {
    console.log(`fails    ${client.name}: ${failureOutput(thrown)}`)
    return false
  }
}
