// The table of actions: five are held, six are allowed, and every other is unknown. It is the contract.
import { callCheck, differs, type CheckSource } from './check.ts'
import { memberOf } from './json.ts'
import { MARK, readableText, readCall } from './letters.ts'
import { readDifferences } from './read-response.ts'

const HELD = ['choose_destination', 'submit_referral', 'assign_urgency', 'rank_suitability', 'book_appointment']
const ALLOWED = ['read', 'identify_specialty', 'list_destinations', 'compare', 'assemble_evidence', 'flag']
const UNKNOWN = {
  'one that nobody defined': `prescribe_${MARK}`,
  'an allowed one in capitals': 'READ',
  'a held one with a blank after it': 'choose_destination ',
  'an empty one': '',
  'a name every object has': 'constructor',
}

export const heldActionChecks: CheckSource = () =>
  HELD.map((action) =>
    callCheck({
      group: 'held actions',
      name: action,
      expected: 'held',
      call: readCall({ action }),
      examine: ({ json }) => differs('action', memberOf(json, 'action'), action),
    }),
  )

export const allowedActionChecks: CheckSource = () =>
  [undefined, null, ...ALLOWED].map((action) =>
    callCheck({
      group: 'allowed actions',
      name: action ?? `${action === null ? 'null' : 'no action'}: identify_specialty`,
      expected: 200,
      call: async (deployment) => readCall({ text: await readableText(deployment), action }),
      examine: async (answer, deployment) => [
        ...differs('action', memberOf(answer.json, 'action'), action ?? 'identify_specialty'),
        ...(await readDifferences(answer, deployment)),
      ],
    }),
  )

export const unknownActionChecks: CheckSource = () =>
  Object.entries(UNKNOWN).map(([name, action]) =>
    callCheck({
      group: 'unknown actions',
      name,
      expected: 'unknown_action',
      call: async (deployment) => readCall({ text: await readableText(deployment), action }),
    }),
  )
