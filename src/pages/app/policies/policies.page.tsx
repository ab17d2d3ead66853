// The policy page: loads the policy in force and the names that its parts show.
import type { Settings } from '../../../management/settings/settings.schema.ts'
import type { Policy } from '../../../management/policies/policies.schema.ts'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { useKeys, useLoadedNames } from '../key-and-person-names.view.tsx'
import { openPage } from '../open-page.tsx'
import { hasPermission, useApi, useApiIf } from '../session.ts'
import { PolicyEditor } from './policy-editor.view.tsx'
import { useRef } from 'preact/hooks'

function Policies() {
  const [loaded, again] = useApi<Policy>('/api/policies')
  const nameOf = useLoadedNames()
  const keys = useKeys()
  const [settings] = useApiIf<Settings>(hasPermission('settings:read'), '/api/settings')
  // The draft stays if loading the policy again fails.
  const read = useRef<Policy | null>(null)
  if (loaded.state === 'answered') read.current = loaded.body
  const refusal = loaded.state === 'refused' && <RefusalNotice problem={loaded.problem} onRetry={again} />
  if (read.current === null && refusal !== false) return refusal
  if (read.current === null || nameOf === null || keys === null || settings.state === 'loading')
    return <Skeleton lines={24} />
  return (
    <>
      {refusal}
      <PolicyEditor
        loaded={read.current}
        nameOf={nameOf}
        keys={keys}
        settings={settings.state === 'answered' ? settings.body : null}
        onReadAgain={again}
      />
    </>
  )
}

await openPage('/app/policies', Policies)
