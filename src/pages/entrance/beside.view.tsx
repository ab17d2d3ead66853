// What stands beside the form where there is room: an example of a signed record, or the steps that follow signing up.
import type { ComponentChildren } from 'preact'
import { EXAMPLE_FACTS } from '../front/example-record.view.tsx'
import { showIn } from '../parts/island.ts'
import { Band } from '../parts/ornament.view.tsx'
import { RecordSheet } from '../parts/record-sheet.view.tsx'

export const showBeside = (view: ComponentChildren): void => showIn('#beside', view)

const Beside = ({ title, children }: { title: ComponentChildren; children: ComponentChildren }) => (
  <>
    <Band />
    <div class="stack">
      <h2>{title}</h2>
      {children}
    </div>
  </>
)

/** An example without a seal, because this page checks no signature. */
export const ExampleBeside = () => (
  <Beside
    title={
      <>
        Two readers for every referral.
        <br />A signed record of every decision.
      </>
    }
  >
    <RecordSheet title="Signed record" beside="An invented example" facts={EXAMPLE_FACTS}>
      <p class="soft">
        Not checked here. <a href="/verify">Verify</a> checks a record in your browser.
      </p>
    </RecordSheet>
  </Beside>
)

const STEPS = [
  ['Confirm your address', 'Open the link that we mail you, and confirm there.'],
  ['Set up your organisation', 'Name it, and choose the providers that may receive text.'],
  ['Create a key', 'Programs call models with it. It is shown once.'],
  ['Make a first call', 'Paste the line that comes with the key, or point an OpenAI client at this service.'],
] as const

export const StepsBeside = () => (
  <Beside title="What comes next">
    <ol class="card steps">
      {STEPS.map(([title, what]) => (
        <li key={title}>
          <b>{title}</b>
          <span>{what}</span>
        </li>
      ))}
    </ol>
    <section class="sheet ghost" aria-label="A record to come">
      <Band />
      <div class="sheet-title">
        <h3>Signed record</h3>
      </div>
      <dl class="facts">
        {['Decision', 'Decided', 'Model'].map((name) => (
          <>
            <dt>{name}</dt>
            <dd>
              <span class="only-read">not yet</span>
            </dd>
          </>
        ))}
      </dl>
      <p class="sheet-foot soft">A call that your policy decides leaves one of these.</p>
    </section>
  </Beside>
)
