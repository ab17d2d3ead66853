// The head of a page with a button that saves what the page shows as a file.
import type { ComponentChildren } from 'preact'
import type { Query } from '../../api/send-request.ts'
import { useButtonRequest } from '../../api/use-button-request.ts'
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { save } from '../../parts/icons.ts'
import { saveFile } from '../../parts/save-button.view.tsx'
import { fetchFile } from '../session.ts'
import { PageHead } from './page-head.view.tsx'

type Props = {
  lead: ComponentChildren
  /** Null: there is nothing to save. */
  csv: { path: string; query?: Query } | null
  /** Drawn before the button. */
  children?: ComponentChildren
}

export function CsvHead({ lead, csv, children }: Props) {
  const { path, query } = csv ?? { path: '' }
  const { ask, problem } = useButtonRequest(
    () => fetchFile('GET', path, { query: { ...query, format: 'csv' } }),
    saveFile,
  )
  return (
    <>
      <PageHead lead={lead}>
        {children}
        {csv !== null && (
          <Button onClick={ask}>
            <Icon of={save} />
            Save as CSV
          </Button>
        )}
      </PageHead>
      {problem !== null && <RefusalNotice problem={problem} />}
    </>
  )
}
