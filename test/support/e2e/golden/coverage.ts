// Which declared answers of the OpenAPI document a transcript has, and why others cannot be had over HTTP.
import type { Exchange } from './chapter.ts'
import { patternOf } from './operation-files.ts'

/** What the transcript reads of an OpenAPI document. */
export type Document = {
  paths: Record<string, Record<string, { tags?: string[]; responses: Record<string, object> }>>
}

/** `status method path` of answers that are declared and not in the transcript, by the reason. */
export const UNREACHABLE: Readonly<Record<string, RegExp>> = {
  'a defect of the service': /^500 /,
  'storage, an object or a key that does not answer: unit tests take it away': /^503 /,
  'only a key is limited, and only a person may do this':
    /^429 \S+ \/api\/(members|views|notices|approvals|calls\/\{id\}\/cost|settings\/erasure|compliance\/(content|statements))/,
  'many tries within a minute, which may end meanwhile':
    /^429 \S+ \/api\/(auth\/(signup|verify-email|email|password|oauth|passkeys|totp|factors|recovery-codes|factor-reset|confirm|login\/second-factor)|organisations|members\/invitations)/,
  'an operator’s token that is not configured': /^404 \S+ \/(readyz|api\/operator\/(organisations|erasures|peppers))$/,
  'another check of the same tiles meanwhile': /^409 \S+ \/api\/operator\/\S+tiles$/,
  'an act that somebody else changes meanwhile, or a limit of hundreds':
    /^409 (post \/api\/auth\/verify-email|post \/api\/organisations|\S+ \/api\/settings\/erasure|delete \/api\/auth\/erasure|put \/api\/compliance\/statements|\S+ \/api\/compliance\/(report|export|audit-logs)|get \/api\/calls$)/,
  'an erasure that has begun: its tests stop it there':
    /^(409 post \S+reapply|403 post \/api\/operator\/\S+invitations)$/,
  'a reset that is due a day later, or that somebody changes meanwhile: test/unit/accounts/second-factor':
    /^(20[01]|401) post \/api\/auth\/factor-reset\/confirm$|^409 delete \S+factor-reset\S*$/,
  'a call that is not settled yet: test/unit/organisation/content': /^409 \S+ \/api\/compliance\/content/,
  'a call that a crash interrupted: test/unit/management/calls': /^200 put \/api\/calls\/\{id\}\/cost$/,
  'a webhook that has failed for days': /^409 post \/api\/notifications\/test/,
}

/** Declared answers that were not met, as `status method path`. */
export function missingFrom(sent: readonly Exchange[], { paths }: Document): string[] {
  return Object.entries(paths).flatMap(([template, methods]) => {
    const pattern = patternOf(template)
    return Object.entries(methods).flatMap(([method, { responses }]) => {
      const met = sent.filter(
        (one) => one.method === method.toUpperCase() && pattern.test(one.path.split('?')[0] ?? ''),
      )
      return Object.keys(responses)
        .filter((status) => met.every((one) => String(one.answer.status) !== status))
        .map((status) => `${status} ${method} ${template}`)
    })
  })
}
