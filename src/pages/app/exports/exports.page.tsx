// The page of exports: the evidence of some days, the records of medical calls, or all data of the organisation, as a file; how a file is
// checked; and which files were made.
import { useState } from 'preact/hooks'
import { Notice } from '../../parts/page-blocks.view.tsx'
import { changeUrlParameters, useUrlParameters } from '../../parts/url-parameters.view.tsx'
import { openPage } from '../open-page.tsx'
import { hasPermission, hasTierFeature, inOrganisation, useApi, useApiList } from '../session.ts'
import { EvidenceFile } from './evidence-files.view.tsx'
import { DayFields, useDays } from './export-days.view.tsx'
import { OrganisationExport } from './organisation-export.view.tsx'
import type { Score } from '../compliance/checklist.view.tsx'
import { Choices, MainAndSide, Stack, Text, Note, Soft } from '../../parts/layout.view.tsx'
import { FieldGroup } from '../../parts/field-group.view.tsx'
import { Radio } from '../../parts/fields.view.tsx'
import type { MadeExports } from '../../../management/audit/audit-export.schema.ts'
import { CopyButton, CopyableText } from '../../parts/copy-button.view.tsx'
import { columnsOf } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { formatDay, formatMinute, formatNearDay, formatShortDay, plural } from '../../text/format.ts'
import { useNamesOrIds } from '../key-and-person-names.view.tsx'
import { useView } from '../use-view.ts'
import { HeadedCard, Help, CardBody, ButtonLink } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import type { Infer } from '../../../platform/once.ts'
import type { SigningKeySchema } from '../../../evidence/records/attestation.schema.ts'
import { sendRequest } from '../../api/send-request.ts'
import { useAnswer } from '../../api/use-answer.ts'

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
    what: 'Everything that your role may read. For moving or keeping.',
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
          <CheckFile kind={chosen.id} />
          {hasPermission('audit:read') && <LastEvidence made={made} />}
        </Stack>
      </MainAndSide>
      {hasPermission('audit:read') && <FilesMade made={made} />}
    </>
  )
}

/** Says so if the control L4 fails: nobody has made an evidence file for 30 days, or ever. */
function LastEvidence({ made }: { made: number }) {
  const [score] = useApi<Score>('/api/compliance/score', {}, [made])
  const control = score.state === 'answered' ? score.body.controls.find(({ id }) => id === 'L4') : undefined
  if (control?.state !== 'fail') return null
  return (
    <Notice tone="warn" role="status" title="No evidence file was made in the last 30 days">
      <p>
        Make a file every 30 days and keep it elsewhere:{' '}
        <a href={inOrganisation('/app/compliance?control=L4')}>control L4</a> asks for it.
      </p>
    </Notice>
  )
}

type MadeExport = MadeExports['data'][number]

const KIND_NAMES: Readonly<Record<MadeExport['kind'], string>> = {
  evidence: 'Evidence file',
  selection: 'Evidence of a list',
  medical: 'Medical calls',
  organisation: 'All data',
}

/** @param made the number of files made here; a change loads the list again */
function FilesMade({ made }: { made: number }) {
  const files = useApiList<MadeExport>('/api/compliance/exports', {}, [made])
  const view = useView(useNamesOrIds())
  return (
    <HeadedCard
      title="Files made"
      note="The SHA-256 is of a file without its last line."
      act={<Help of="files made" to="/docs/export-evidence#export-the-log" />}
      isList
    >
      <DataGrid
        label="Files made, the latest first"
        noun="file"
        file="files-made"
        columns={COLUMNS}
        rows={files}
        keyOf={({ index }) => String(index)}
        view={view}
        empty={
          <CardBody as="p" tone="soft">
            None yet. Your log keeps who made each file, and its hash, but not the file.
          </CardBody>
        }
      />
    </HeadedCard>
  )
}

const FORMATS: Readonly<Record<string, string>> = { jsonl: ', JSON lines', csv: ', CSV', json: ', JSON' }

const nameOf = ({ kind, format }: MadeExport): string => KIND_NAMES[kind] + (FORMATS[format ?? ''] ?? '')

const file = columnsOf<MadeExport>()

const COLUMNS = [
  file.own({
    id: 'file',
    head: 'File',
    kind: 'name',
    cell: (of) => (
      <>
        {nameOf(of)} {of.complete === false && <Badge tone="warn">Broken off</Badge>}
        <Soft>{[daysOf(of), entriesOf(of)].filter(Boolean).join(': ')}</Soft>
      </>
    ),
    plain: (of) => (of.complete === false ? `${nameOf(of)} (broken off)` : nameOf(of)),
  }),
  // To the second: two files of the same days are often made within a minute.
  file.own({
    id: 'made',
    head: 'Made',
    kind: 'moment',
    phone: 'line',
    cell: ({ created_at: at }, { isLocal }) => formatMinute(at, isLocal) + at.slice(16, 19),
    plain: ({ created_at: at }) => at,
  }),
  file.named({ id: 'by', head: 'By', of: 'made_by', phone: 'line-end' }),
  file.text({ id: 'days', head: 'Days', of: daysOf, isOptional: true }),
  file.number({ id: 'entries', head: 'Entries', of: 'entries', isOptional: true }),
  file.own({
    id: 'sha256',
    head: 'SHA-256',
    kind: 'figure',
    cell: ({ sha256 }) =>
      sha256 !== null && (
        <Text isOneLine>
          <code>{sha256.slice(0, 8)}…</code> <CopyButton text={sha256} what="the SHA-256" />
        </Text>
      ),
    plain: ({ sha256 }) => sha256 ?? '',
  }),
]

function daysOf({ start, end }: MadeExport): string | null {
  if (start === null || end === null) return null
  const last = formatNearDay(end)
  if (start === end) return last
  return `${yearOf(start) === yearOf(end) ? formatShortDay(start) : formatDay(start)} to ${last}`
}

const yearOf = (day: string): string => day.slice(0, 4)

const entriesOf = ({ entries }: MadeExport): string | null =>
  entries === null ? null : plural(entries, 'entry', 'entries')

/** The checker does not read the file of all data. Records of medical calls are each checked with the key of their time. */
const CheckFile = ({ kind }: { kind: (typeof KINDS)[number]['id'] }) => (
  <HeadedCard title="Check a file">
    {kind === 'organisation' ? (
      <p>
        Each signed record is checked by itself: copy a <code>record</code> from <code>receipts</code> in the file, and
        paste it into <a href="/verify">Verify</a>.
      </p>
    ) : (
      <>
        <p>
          Open it in <a href="/verify">Verify</a>, in this browser or offline. Or save{' '}
          <a href="/countersign-verify.mjs" download>
            the checker
          </a>
          , one file for Node, and run it, with the file’s name in <code>FILE</code>:
        </p>
        <CopyableText
          line={`node countersign-verify.mjs \\\n  "$FILE" \\\n  ${kind === 'receipts' ? '--keys kept-keys.json' : '--key "$PINNED_KEY"'}`}
        />
        <Stack gap={2}>
          {kind === 'receipts' ? (
            <ButtonLink href="/v1/attestation/keys" download="kept-keys.json">
              Save the public keys
            </ButtonLink>
          ) : (
            <PublicKey />
          )}
          <Note as="p">
            {kind === 'receipts' ? 'Keys that you have' : 'A key that you have'} from another place, or kept from
            before, proves more: then you need not trust this service.
          </Note>
        </Stack>
      </>
    )}
  </HeadedCard>
)

function PublicKey() {
  const [loaded] = useAnswer(
    (signal) => sendRequest<Infer<typeof SigningKeySchema>>('GET', '/v1/attestation/public-key', { signal }),
    [],
  )
  return (
    <CopyButton
      text={loaded.state === 'answered' ? loaded.body.public_key : null}
      what=""
      label="Copy the public key"
    />
  )
}

await openPage('/app/exports', Exports)
