// The texts the checks send: the deployment's own examples, and letters of the runner that carry a mark.
import type { Call, Deployment } from './deployment.ts'
import { departures } from './shape-differences.ts'
import { ExamplesResponseSchema, type Example } from './shapes.ts'

/** A word in every text and name the runner makes up. No answer may hold it, since nothing sent is repeated. */
export const MARK = 'quillwort'

/** A letter no deployment knows, without an identifier in it. */
export const UNKNOWN_LETTER = `Dear Doctor, this ${MARK} letter is none of the examples. I would be grateful for your opinion.`

export function readCall(body: unknown): Call {
  return postCall(JSON.stringify(body))
}

export function postCall(body: NonNullable<Call['body']>, contentType = 'application/json'): Call {
  return { method: 'POST', path: '/v1/referral/read', headers: { 'content-type': contentType }, body }
}

/** The deployment's examples; none when the answer does not have their form, which a check of its own reports. */
export async function examplesOf(deployment: Deployment): Promise<readonly Example[]> {
  const { json } = await deployment.getOnce('/v1/examples')
  return departures(ExamplesResponseSchema, json).length === 0 ? ExamplesResponseSchema.parse(json).examples : []
}

/** The text of an example that is read and decided yes. Throws when the deployment has none. */
export async function readableText(deployment: Deployment): Promise<string> {
  const found = (await examplesOf(deployment)).find(({ expected }) => expected.decision === 'yes')
  if (found === undefined) throw new Error('GET /v1/examples gave no letter that is decided yes')
  return found.text
}
