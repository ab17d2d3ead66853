// Every example the deployment offers is sent as it says, and must be answered as it says.
import { callCheck, differs, type Check, type CheckSource } from './check.ts'
import { isErrorCode } from './error-envelope.ts'
import { memberOf } from './json.ts'
import { examplesOf, readCall } from './letters.ts'
import { readDifferences } from './read-response.ts'
import { departures } from './shape-differences.ts'
import { ExamplesResponseSchema, IdentifiersSchema, type Example } from './shapes.ts'

const group = 'examples'

const list: Check = {
  group,
  name: 'GET /v1/examples: at least 14, of every path',
  expected: '200',
  run: async (deployment) => {
    const answer = await deployment.getOnce('/v1/examples')
    const misshapen = departures(ExamplesResponseSchema, answer.json)
    const examples = await examplesOf(deployment)
    const expectations = new Set(examples.map(({ expected }) => expected.decision ?? expected.code))
    const missing = ['yes', 'ask', 'held', 'unknown_action', 'identifier_found'].filter(
      (each) => !expectations.has(each),
    )
    const differences = [
      ...differs('status', answer.status, 200),
      ...misshapen,
      ...missing.map((each) => `no example expects ${each}`),
      ...(examples.length >= 14 ? [] : [`there are ${examples.length}`]),
    ]
    return { got: `${answer.status}, ${examples.length} examples`, differences }
  },
}

function exampleCheck({ id, text, action, expected }: Example): Check {
  const { status, decision, code, specialty, ageGroup } = expected
  return callCheck({
    group,
    name: id,
    expected: decision === 'held' ? 'held' : isErrorCode(code) ? code : status,
    call: readCall({ text, ...(action === null ? {} : { action }) }),
    examine: async (answer, deployment) => [
      ...differs('expected.status of the example', status, answer.status),
      ...(decision === null ? [] : differs('decision', memberOf(answer.json, 'decision'), decision)),
      ...(decision === 'yes' ? [] : differs('expected.specialty of the example', specialty, null)),
      ...(status === 200 ? differs('specialty', memberOf(answer.json, 'specialty'), specialty) : []),
      ...(status === 200 ? differs('ageGroup', memberOf(answer.json, 'ageGroup'), ageGroup) : []),
      ...(status === 200 ? await readDifferences(answer, deployment) : []),
      ...(code === 'identifier_found'
        ? departures(IdentifiersSchema, memberOf(answer.json, 'error', 'identifiers'))
        : []),
    ],
  })
}

export const exampleChecks: CheckSource = async (deployment) => [
  list,
  ...(await examplesOf(deployment)).map((example) => exampleCheck(example)),
]
