// Controls D1 to D5 of the compliance report, on data: its location, its protection, and its deletion in time.
import { control, NO_CALLS, noData, passIf, someNames, type ControlDefinition } from './control.ts'

const EUROPE = 'eu'

/** A request for erasure is overdue after this many days. */
export const LATE_ERASURE_DAYS = 30

export const DATA_CONTROLS: readonly ControlDefinition[] = [
  control({
    id: 'D1',
    title: 'Calls are routed within Europe',
    weight: 3,
    earns: true,
    sources: ['GDPR 44', 'GDPR 45', 'GDPR 46'],
    query:
      'The jurisdiction of the organisation’s data, the data region of its policy, and the places of the route of each call of the period. Letters are not calls: the operator chooses where they are read.',
    wouldPass:
      'The organisation is in the jurisdiction eu, its policy limits the data region to eu or eea_ch, and no call was routed outside.',
    link: '/api/policies',
    measure: ({ data: { jurisdiction, europeanRoutes }, policy: { document }, calls: { routed } }) => {
      if (routed.eu + routed.eea_ch + routed.any === 0) return noData('No call has reached a provider.')
      return {
        values: {
          jurisdiction,
          data_region: document.data_region?.within ?? 'any',
          routed_eu: routed.eu,
          routed_eea_ch: routed.eea_ch,
          routed_elsewhere: routed.any,
          routes_in_europe: someNames(europeanRoutes),
        },
      }
    },
    judge: ({ jurisdiction, data_region: region, routed_eea_ch: wider, routed_elsewhere: elsewhere }) =>
      passIf(jurisdiction === EUROPE && region !== 'any' && elsewhere === 0 && (region !== 'eu' || wider === 0)),
  }),
  control({
    id: 'D2',
    title: 'Prompts and answers are not kept, or no longer than details',
    weight: 2,
    earns: false,
    sources: ['GDPR 5(1)(c)'],
    query: 'Days that content is kept, against days that details are.',
    wouldPass: 'Content is not kept, or for no more days than details.',
    link: '/api/settings',
    measure: ({ data: { contentDays, retentionDays }, calls: { requests } }) =>
      requests === 0 ? noData(NO_CALLS) : { values: { content_days: contentDays, details_days: retentionDays } },
    judge: ({ content_days: contentDays, details_days: detailsDays }) =>
      passIf(contentDays === null || contentDays <= detailsDays),
  }),
  control({
    id: 'D3',
    title: 'What is stored outside the database is sealed',
    weight: 2,
    earns: false,
    sources: ['GDPR 32(1)(a)'],
    query: 'Sealed objects, and how many of them have no key. Content is always sealed.',
    wouldPass: 'Every sealed object has its key.',
    measure: ({ data: { sealed } }) => {
      const { objects, withoutKey, hasContentKey } = sealed
      if (objects === 0 && !hasContentKey) return noData('Nothing has left the database yet.')
      return { values: { sealed_objects: objects, without_key: withoutKey, content_key: hasContentKey } }
    },
    judge: ({ without_key: withoutKey }) => passIf(withoutKey === 0),
  }),
  control({
    id: 'D4',
    title: 'Erasures are done in time',
    weight: 2,
    earns: false,
    sources: ['GDPR 17'],
    query: `Erasure requests older than ${LATE_ERASURE_DAYS} days and not done.`,
    wouldPass:
      'No such request is left. Tell the operator of one: erasures are done daily, seven days after they were asked for.',
    measure: ({ data: { erasures } }) =>
      erasures.asked === 0 ? noData('Nobody who is here now has asked to be erased.') : { values: { ...erasures } },
    judge: ({ overdue }) => passIf(overdue === 0),
  }),
  control({
    id: 'D5',
    title: 'Records of processing can be drawn up',
    weight: 1,
    earns: false,
    sources: ['GDPR 30'],
    query: 'Purposes (use cases of the period), recipients (enabled providers) and retention.',
    wouldPass: 'Calls declare use cases, so that the purposes are known.',
    link: '/api/settings/export',
    measure: ({ calls: { requests, useCases }, data: { providers, retentionDays } }) =>
      requests === 0
        ? noData(NO_CALLS)
        : {
            values: {
              purposes: useCases.length,
              recipients: [...providers],
              details_days: retentionDays,
            },
          },
    judge: ({ purposes, recipients }) => passIf(purposes > 0 && recipients.length > 0),
  }),
]
