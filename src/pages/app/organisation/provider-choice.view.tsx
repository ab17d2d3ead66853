// To which providers of models anything may be sent at all, each with where it is processed.
import type { List } from '../../../platform/list.schema.ts'
import { providerLabel } from '../../../providers/registry.ts'
import type { Session } from '../../api/session.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { callIn } from '../call-in.ts'

/** Of what GET /api/providers answers. */
type Provider = { id: string; regions: readonly string[] }

const REGIONS: Readonly<Record<string, string>> = {
  us: 'in the United States',
  eu: 'in the European Union',
  global: 'anywhere',
}

type Given = { session: Session; chosen: readonly string[]; onChosen: (chosen: readonly string[]) => void }

export function ProviderChoice({ session, chosen, onChosen }: Given) {
  const [loaded, again] = useAnswer<List<Provider>>(
    (signal) => callIn({ ...session, organisation: null }, 'GET', '/api/providers', { signal }),
    [],
  )
  if (loaded.state === 'loading') return <Skeleton lines={9} />
  if (loaded.state === 'refused') return <ProblemNotice problem={loaded.problem} onRetry={again} />
  return (
    <fieldset class="stack">
      <legend>Providers that prompts may go to</legend>
      <p class="soft">None has to be chosen now. Nothing is sent to one that is not; the settings change it later.</p>
      {loaded.body.data.map(({ id, regions }) => (
        <label key={id} class="choice">
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={({ currentTarget: { checked } }) =>
              onChosen(checked ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          />
          <span>
            {providerLabel(id)}
            <span class="soft">, processes {regions.map((region) => REGIONS[region] ?? region).join(' or ')}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
