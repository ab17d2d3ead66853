// When repeated requests of a key are taken for a loop and suppressed.
import { useState } from 'preact/hooks'
import { LOOP_BOUNDS } from '../../../policies/loops.policy.ts'
import { inOrganisation } from '../../api/session.ts'
import { NumberField, textOfNumber } from './number-field.view.tsx'
import type { Room } from './room.ts'
import { SettingsForm } from './saving.view.tsx'
import { Section } from './section.view.tsx'

const MEMBERS = ['loop_repeats', 'loop_window_seconds', 'loop_cycle_rounds', 'loop_cycle_window_seconds'] as const
type Member = (typeof MEMBERS)[number]

type Bounds = { least: number; most: number }

/** Two kinds of loops, each by how often and within how long. */
const KINDS: readonly { what: string; fields: readonly { member: Member; label: string; bounds: Bounds }[] }[] = [
  {
    what: 'The same request again',
    fields: [
      { member: 'loop_repeats', label: 'Times', bounds: LOOP_BOUNDS.repeats },
      { member: 'loop_window_seconds', label: 'Within seconds', bounds: LOOP_BOUNDS.windowSeconds },
    ],
  },
  {
    what: 'Two to four requests in turn',
    fields: [
      { member: 'loop_cycle_rounds', label: 'Rounds', bounds: LOOP_BOUNDS.cycleRounds },
      { member: 'loop_cycle_window_seconds', label: 'Within seconds', bounds: LOOP_BOUNDS.cycleWindowSeconds },
    ],
  },
]

export function LoopsSection({ room }: { room: Room }) {
  const { settings } = room
  const [texts, setTexts] = useState<Readonly<Record<Member, string>>>({
    loop_repeats: textOfNumber(settings.loop_repeats),
    loop_window_seconds: textOfNumber(settings.loop_window_seconds),
    loop_cycle_rounds: textOfNumber(settings.loop_cycle_rounds),
    loop_cycle_window_seconds: textOfNumber(settings.loop_cycle_window_seconds),
  })
  const wanted = Object.fromEntries(MEMBERS.map((name) => [name, Number(texts[name])]))
  return (
    <Section id="loops">
      <p>
        A program that asks the same again and again costs money and says nothing new. The request that makes it a loop
        is suppressed with 429 <code>loop_detected</code>, and so are those after it, until none of them has come for 60
        seconds. A <a href={inOrganisation(room.session, '/app/policies')}>policy</a> can say otherwise for some calls.
      </p>
      <SettingsForm room={room} wanted={wanted}>
        {(faultOf) => (
          <div class="columns">
            {KINDS.map(({ what, fields }) => (
              <fieldset key={what} class="stack">
                <legend>{what}</legend>
                {fields.map(({ member, label, bounds }) => (
                  <NumberField
                    key={member}
                    label={label}
                    hint={`${bounds.least} to ${bounds.most}`}
                    fault={faultOf(member)}
                    value={texts[member]}
                    onInput={(value) => setTexts({ ...texts, [member]: value })}
                    least={bounds.least}
                    most={bounds.most}
                  />
                ))}
              </fieldset>
            ))}
          </div>
        )}
      </SettingsForm>
    </Section>
  )
}
