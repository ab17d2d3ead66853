// The page of exports: the evidence of some days, the records of medical calls, or all data of the organisation, as a file; how a file is
// checked; and which files were made.
import { useState } from 'preact/hooks'
import { Notice } from '../../parts/page-blocks.view.tsx'
import { changeUrlParameters, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { openPage } from '../open-page.tsx'
import { hasPermission, hasTierFeature, inOrganisation, useApi } from '../session.ts'
import { CheckFile } from './check-file.view.tsx'
import { EvidenceFile, evidenceName } from './evidence-files.view.tsx'
import { DayFields, useDays } from './export-days.view.tsx'
import { FilesMade } from './made-exports.view.tsx'
import { OrganisationExport } from './organisation-export.view.tsx'
import type { Score } from '../compliance/checklist.view.tsx'
import { Choices, MainAndSide, Stack } from '../../parts/layout.view.tsx'
import { FieldGroup } from '../../parts/field-group.view.tsx'
import { Radio } from '../../parts/fields.view.tsx'

const KINDS = [
  {
    id: 'evidence',
    name: 'Evidence file',
    what: 'Every entry of your log with its proof. Can be checked for gaps.',
    needs: 'audit:read',
  },
  {
    id: 'receipts',
    name: 'Medical calls',
    what: 'The records of calls of medical use cases, each with its proofs.',
    needs: 'receipts:read',
  },
  {
    id: 'organisation',
    name: 'All data of the organisation',
    what: 'Members, keys, settings, policies, usage. For moving or keeping.',
    needs: 'organisation:export',
  },
] as const

function Exports() {
  const [parameters] = useUrlParameters()
  const [made, setMade] = useState(0)
  const typedDays = useDays(parameters)
  const onMade = (): void => setMade((count) => count + 1)
  const kinds = KINDS.filter(
    ({ id, needs }) => hasPermission(needs) && (id !== 'receipts' || hasTierFeature('medical_receipts')),
  )
  const chosen = kinds.find(({ id }) => id === parameters.get('kind')) ?? kinds[0]
  if (chosen === undefined) return null
  const { days, typed } = typedDays
  return (
    <>
      <MainAndSide>
        <Stack as="section" isCard label={chosen.name}>
          {kinds.length > 1 && (
            <FieldGroup legend="File">
              <Choices>
                {kinds.map(({ id, name, what }) => (
                  <Radio
                    key={id}
                    name="kind"
                    isChosen={id === chosen.id}
                    onChoose={() => changeUrlParameters({ kind: id })}
                    about={what}
                  >
                    {name}
                  </Radio>
                ))}
              </Choices>
            </FieldGroup>
          )}
          {chosen.id !== 'organisation' && <DayFields {...typedDays} />}
          {chosen.id === 'organisation' ? (
            <OrganisationExport onMade={onMade} />
          ) : (
            // What was saved and the next part are of the days before.
            <EvidenceFile key={`${chosen.id} ${typed.start} ${typed.end}`} {...{ kind: chosen.id, days, onMade }} />
          )}
        </Stack>
        <Stack gap={5}>
          <CheckFile
            name={chosen.id === 'organisation' ? null : evidenceName(chosen.id, days ?? SAMPLE)}
            isWithKeys={chosen.id === 'receipts'}
          />
          {hasPermission('audit:read') && <LastEvidence made={made} />}
        </Stack>
      </MainAndSide>
      {hasPermission('audit:read') && <FilesMade made={made} />}
    </>
  )
}

/** The days in the command while those that are typed are of no file. */
const SAMPLE = { start: 'FROM', end: 'TO' }

/** Says so where nobody has taken evidence out of the service for long: the control L4 then fails. */
function LastEvidence({ made }: { made: number }) {
  const [score] = useApi<Score>('/api/compliance/score', {}, [made])
  const control = score.state === 'answered' ? score.body.controls.find(({ id }) => id === 'L4') : undefined
  if (control?.state !== 'fail') return null
  return (
    <Notice tone="warn" role="status" title="No evidence has left this service for 30 days">
      <p>
        Make a file every 30 days and keep it elsewhere. Until then{' '}
        <a href={inOrganisation('/app/compliance?control=L4')}>control L4</a> fails.
      </p>
    </Notice>
  )
}

await openPage('/app/exports', Exports)
