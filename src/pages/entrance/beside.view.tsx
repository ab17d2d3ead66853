// Shows a page before sign-in: its content, and beside it, where there is room, what it leads to: an example of a signed record, or
// the steps that follow signing up.
import type { ComponentChildren } from 'preact'
import { EXAMPLE_FACTS } from '../front/example-record.view.tsx'
import { showIn, showInIsland } from '../parts/island.ts'
import { Soft, Stack, Title } from '../parts/layout.view.tsx'
import { RecordSheet } from '../parts/record-sheet.view.tsx'
import { Step, Steps } from '../parts/steps.view.tsx'
import { enableSearch } from '../search/open-search.ts'
import { InsecureNotice } from './sign-in-parts.view.tsx'

export function showEntrance(view: ComponentChildren, beside: ComponentChildren = <ExampleBeside />): void {
  showInIsland(
    <Stack>
      <InsecureNotice />
      {view}
    </Stack>,
  )
  showIn('#beside', beside)
  enableSearch()
}

const Beside = ({ title, children }: { title: ComponentChildren; children: ComponentChildren }) => (
  <Stack>
    <Title>{title}</Title>
    {children}
  </Stack>
)

/** An example without a seal, because this page checks no signature. */
const ExampleBeside = () => (
  <Beside
    title={
      <>
        Two readers for every referral.
        <br />A signed record of every decision.
      </>
    }
  >
    <RecordSheet title="Signed record" beside="An invented example" facts={EXAMPLE_FACTS}>
      <Soft as="p">
        Not checked here. <a href="/verify">Verify</a> checks a record in your browser.
      </Soft>
    </RecordSheet>
  </Beside>
)

const STEPS = [
  ['Confirm your address', 'Open the link that we mail you, and confirm there.'],
  ['Set up your organisation', 'Name it, and choose the providers that may receive text.'],
  ['Create a key', 'Programs call models with it. It is shown once.'],
  ['Make a first call', 'Paste the line that comes with the key. Its signed record is then under Calls.'],
] as const

export const StepsBeside = () => (
  <Beside title="What comes next">
    <Steps>
      {STEPS.map(([title, what], at) => (
        <Step key={title} number={at + 1} title={title}>
          <Soft as="p">{what}</Soft>
        </Step>
      ))}
    </Steps>
  </Beside>
)
