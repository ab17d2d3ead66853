// npm run ledger: the operator has an organisation's ledger checked.
import { z } from 'zod'
import { callOperator, OperatorError } from './operator/client.ts'
import { need, runCommand } from './operator/command.ts'

const HELP = `npm run ledger -- VERB [options]

  check --org ID   works the organisation's state out again from its entries, and says whether it is the one that its object
                   decides from; where it is not, names the places and exits with 1

  --remote      a deployment: its address from --url or COUNTERSIGN_URL, its OPERATOR_TOKEN from the environment
  --url URL     another address than http://127.0.0.1:8787
  --json        the answer as JSON`

const CheckedSchema = z.object({ is_equal: z.boolean(), differences: z.array(z.string()), from: z.int(), to: z.int() })

await runCommand({
  help: HELP,
  options: ['org'],
  verbs: {
    check: async ({ target, flags }) => {
      const path = `/organisations/${encodeURIComponent(need(flags, 'org'))}/ledger`
      const checked = await callOperator(target, CheckedSchema, 'GET', path)
      if (checked.is_equal) return checked
      const places = checked.differences.map((place) => `  ${place}`).join('\n')
      throw new OperatorError(`The state is not what entries ${checked.from} to ${checked.to} come to:\n${places}`)
    },
  },
})
