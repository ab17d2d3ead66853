// Hook of the settings page: the settings in force, a person's edits of all parts, and how they are saved together. An edit is lost only
// if it is saved or discarded.
import { useState } from 'preact/hooks'
import type { Settings } from '../../../management/settings/settings.schema.ts'
import { refusalOf, type Problem } from '../../api/send-request.ts'
import { useSingleRun } from '../../parts/button.view.tsx'
import { namesOf } from '../../parts/form-values.ts'
import { faultsIn, focusFault, useUnsavedWarning } from '../../parts/form.view.tsx'
import { showToast } from '../../parts/toast.view.tsx'
import { callApi, hasPermission, renameOrganisation } from '../session.ts'
import {
  focusPart,
  pageOf,
  showPage,
  changesIn,
  differing,
  isMember,
  MEMBERS,
  textOf,
  type Edits,
  type Member,
  type Values,
} from './settings-members.ts'

export type Editing = {
  /** The settings in force. */
  settings: Settings
  /** The settings as they would be. */
  values: Values
  changes: readonly Member[]
  mayChange: boolean
  edit: (edits: Edits) => void
  faultOf: (path: string) => string | null
  discard: () => void
  save: () => void
  isSaving: boolean
  problem: Problem | null
  /** The members that somebody else changed before these edits could be saved. */
  changedByOthers: readonly Member[]
}

const NONE: readonly Member[] = []

export function useSettingsEditing(loaded: Settings): Editing {
  const [settings, setSettings] = useState(() => withNameShown(loaded))
  const [edits, setEdits] = useState<Edits>({})
  const [problem, setProblem] = useState<Problem | null>(null)
  const [changedByOthers, setChangedByOthers] = useState(NONE)
  const changes = changesIn(settings, edits)
  useUnsavedWarning(changes.length > 0)

  const settle = (found: Problem | null, others: readonly Member[]): void => {
    setProblem(found)
    setChangedByOthers(others)
  }
  const saved = (sent: Edits, changed: Settings): void => {
    const part = MEMBERS[changes[0] ?? 'name'].part
    setSettings(withNameShown(changed))
    // What was typed while the request was under way stays.
    setEdits((now) => differing(changed, withoutSent(now, sent)))
    showToast(`Saved: ${changes.map((name) => MEMBERS[name].label).join(', ')}.`)
    // The button that had the focus goes with the bar.
    focusPart(part)
  }
  const values = { ...settings, ...edits }
  const [isSaving, save] = useSingleRun(async () => {
    // The field says so by itself.
    const below = changes.find((name) => Number(values[name]) < 0)
    if (below !== undefined) return showFault({ fields: [], param: below })
    const sent = differing(settings, edits)
    const body = { ...sent, if_version: settings.version }
    const found = await refusalOf(callApi<Settings>('PATCH', '/api/settings', { body }), (changed) =>
      saved(sent, changed),
    )
    const others = found?.param === 'if_version' ? await lookAgain() : NONE
    settle(found, others)
    if (found !== null) showFault(found)
  })
  /** Loads the settings that somebody else has changed. The edits stay, and are then changes of those. */
  const lookAgain = async (): Promise<readonly Member[]> => {
    let others = NONE
    await refusalOf(callApi<Settings>('GET', '/api/settings'), (now) => {
      others = namesOf(MEMBERS).filter((name) => textOf(now[name]) !== textOf(settings[name]))
      setSettings(withNameShown(now))
    })
    return others
  }

  return {
    settings,
    values,
    changes,
    mayChange: hasPermission('settings:change'),
    edit: (given) => setEdits((now) => differing(settings, { ...now, ...given })),
    faultOf: faultsIn(problem),
    discard: () => {
      setEdits({})
      settle(null, NONE)
    },
    save,
    isSaving,
    problem,
    changedByOthers,
  }
}

const withoutSent = (now: Edits, sent: Edits): Edits =>
  Object.fromEntries(
    Object.entries(now).filter(([name, value]) => !isMember(name) || textOf(value) !== textOf(sent[name])),
  )

/** Opens the page that has the field with the fault, and gives that the focus. */
function showFault({ fields, param }: Pick<Problem, 'fields' | 'param'>): void {
  const name = [...fields.map(({ path }) => path), param ?? ''].map((path) => path.split('.')[0] ?? '').find(isMember)
  if (name === undefined) return
  showPage(pageOf(MEMBERS[name].part))
  focusFault()
}

/** Shows the organisation's name from the settings everywhere on the page. */
function withNameShown(settings: Settings): Settings {
  renameOrganisation(settings.name)
  return settings
}
