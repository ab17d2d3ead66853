// The page of notices: what the person is mailed about in this organisation, and the mails that were sent.
import { useMemo, useState } from 'preact/hooks'
import type { Infer } from '../../../platform/once.ts'
import type { NoticesSchema } from '../../../management/notifications/notifications.schema.ts'
import { nameOfNotices } from '../../../notifications/notices.words.ts'
import { refusalOf } from '../../api/send-request.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { Checkboxes } from '../../parts/fields.view.tsx'
import { FieldGroup } from '../../parts/field-group.view.tsx'
import { Form } from '../../parts/form.view.tsx'
import { columnsOf, type Column } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { Hash, Soft } from '../../parts/layout.view.tsx'
import { EmptyNotice, HeadedCard, Remark } from '../../parts/surfaces.view.tsx'
import { showToast } from '../../parts/toast.view.tsx'
import { openPage } from '../open-page.tsx'
import { callApi, session, useApi } from '../session.ts'
import { useView } from '../use-view.ts'
import { availableNotices } from './available-notices.ts'

type Own = Infer<typeof NoticesSchema>
type Sent = Own['data'][number]

function NoticesPage() {
  const answer = useApi<Own>('/api/notices')
  return (
    <Answered answer={answer} lines={16}>
      {(own) => <Notices own={own} />}
    </Answered>
  )
}

const Notices = ({ own }: { own: Own }) => (
  <>
    <Choice own={own} />
    <HeadedCard title="Sent to you" note="The last 90 days" isList>
      <DataGrid
        label="Mails that were sent to you, newest first"
        noun="mail"
        columns={COLUMNS}
        rows={own.data}
        keyOf={({ type, created_at }) => `${created_at}/${type}`}
        view={useView()}
        empty={
          <EmptyNotice title="No mail was sent yet">
            Each will be here, with its time and what it said. No mail has text of a call.
          </EmptyNotice>
        }
      />
    </HeadedCard>
  </>
)

function Choice({ own }: { own: Own }) {
  const [chosen, setChosen] = useState(own.types)
  const options = useMemo(availableNotices, [])
  const save = () =>
    refusalOf(callApi<Own>('PUT', '/api/notices', { body: { types: chosen } }), () =>
      showToast(chosen.length === 0 ? 'Saved: you are mailed about nothing.' : 'Saved.'),
    )
  return (
    <HeadedCard title="Mail me when">
      {!own.sends_mail && (
        <Remark tone="warn">
          {session().user.email_verified
            ? 'This service sends no mail. Your choice is kept until it does.'
            : 'Your address was never confirmed, so nothing is mailed to it. Set a new password by mail to confirm it.'}
        </Remark>
      )}
      <Form button="Save" ask={save}>
        <FieldGroup legend="Mail me when" isLegendHidden gap={4}>
          <Checkboxes options={options} chosen={chosen} onChosen={setChosen}>
            {(type) => nameOfNotices(type, 1)}
          </Checkboxes>
        </FieldGroup>
        <p>
          <Soft>
            At most one mail an hour of each kind, to <Hash>{session().user.email}</Hash>.
          </Soft>
        </p>
      </Form>
    </HeadedCard>
  )
}

const sent = columnsOf<Sent>()

const COLUMNS: readonly Column<Sent>[] = [
  sent.moment({ id: 'at', head: 'Sent', of: 'created_at', phone: 'line' }),
  sent.text({ id: 'what', head: 'What', of: ({ type, count }) => nameOfNotices(type, count), phone: 'title' }),
  sent.text({ id: 'detail', head: 'Detail', of: ({ detail }) => detail ?? '', phone: 'line' }),
  sent.text({ id: 'outcome', head: 'Mail', of: ({ outcome }) => (outcome === 'sent' ? 'Sent' : 'Could not be sent') }),
]

await openPage('/app/notices', NoticesPage)
