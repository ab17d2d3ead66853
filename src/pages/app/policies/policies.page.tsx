// The policy page: loads the policy in force and the names that its parts show.
import type { StopsSchema } from '../../../management/analytics/analytics.schema.ts'
import type { Settings } from '../../../management/settings/settings.schema.ts'
import type { Policy } from '../../../management/policies/policies.schema.ts'
import type { Infer } from '../../../platform/once.ts'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { useKeys, useLoadedNames } from '../key-and-person-names.view.tsx'
import { openPage } from '../open-page.tsx'
import { hasCounts, hasPermission, useApi, useApiIf } from '../session.ts'
import { countByRule } from '../../text/rule-names.ts'
import { PolicyEditor } from './policy-editor.view.tsx'
import { useRef } from 'preact/hooks'

function Policies() {
  const [loaded, again] = useApi<Policy>('/api/policies')
  const nameOf = useLoadedNames()
  const keys = useKeys()
  const [settings] = useApiIf<Settings>(hasPermission('settings:read'), '/api/settings')
  const [stops] = useApiIf<Infer<typeof StopsSchema>>(hasCounts(), '/api/analytics/stops')
  // The draft stays if loading the policy again fails.
  const read = useRef<Policy | null>(null)
  if (loaded.state === 'answered') read.current = loaded.body
  const refusal = loaded.state === 'refused' && <RefusalNotice problem={loaded.problem} onRetry={again} />
  if (read.current === null && refusal !== false) return refusal
  const isLoading = settings.state === 'loading' || stops.state === 'loading'
  if (read.current === null || nameOf === null || keys === null || isLoading) return <Skeleton lines={24} />
  return (
    <>
      {refusal}
      <PolicyEditor
        loaded={read.current}
        nameOf={nameOf}
        keys={keys}
        settings={settings.state === 'answered' ? settings.body : null}
        stopped={countByRule(stops.state === 'answered' ? (stops.body?.data ?? []) : [])}
        onReadAgain={again}
      />
    </>
  )
}

await openPage('/app/policies', Policies)
