// How requests are sent, and what is kept so that it need not be asked, or paid for, again.
import { useState } from 'preact/hooks'
import { inOrganisation } from '../../api/session.ts'
import type { Room } from './room.ts'
import { SettingsForm } from './saving.view.tsx'
import { Section } from './section.view.tsx'

export function RepeatsSection({ room }: { room: Room }) {
  const { settings, session } = room
  const [marks, setMarks] = useState(settings.cache_instructions)
  const [replays, setReplays] = useState(settings.idempotent_replays)
  const [unsupported, setUnsupported] = useState(settings.unsupported)
  return (
    <Section id="repeats">
      <SettingsForm room={room} wanted={{ cache_instructions: marks, idempotent_replays: replays, unsupported }}>
        {() => (
          <>
            <Choice
              label="Have providers keep long instructions for five minutes"
              hint="Long system messages are marked for providers that want to be told what to keep. Keeping them costs more than sending them, and reading them again less."
              isChosen={marks}
              onChange={setMarks}
            />
            <Choice
              label="Give the first answer again to a call that is sent again"
              hint="The answer to a call with an Idempotency-Key is kept for a day, sealed. Without this such a call is refused and never run twice. Switched off, no answer is given again, those that are kept included."
              isChosen={replays}
              onChange={setReplays}
            />
            <Choice
              label="Refuse sampling parameters that a model does not take"
              hint="Temperature, top_p, penalties and seed. Without this they are left out, and the answer names them in x-aqta-dropped. With it the request is refused."
              isChosen={unsupported === 'refuse'}
              onChange={(refuses) => setUnsupported(refuses ? 'refuse' : 'drop')}
            />
          </>
        )}
      </SettingsForm>
      <p class="soft">
        Whether answers are given again to other calls that ask the same is said by <code>cache.ttl_seconds</code> of
        the <a href={inOrganisation(session, '/app/policies')}>policy</a>.
      </p>
    </Section>
  )
}

type Given = { label: string; hint: string; isChosen: boolean; onChange: (isChosen: boolean) => void }

function Choice({ label, hint, isChosen, onChange }: Given) {
  return (
    <label class="choice">
      <input type="checkbox" checked={isChosen} onChange={({ currentTarget: { checked } }) => onChange(checked)} />
      <span>
        <strong>{label}</strong>
        <br />
        <span class="soft">{hint}</span>
      </span>
    </label>
  )
}
