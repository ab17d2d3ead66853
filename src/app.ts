// The composition root: builds what the features depend on, mounts them, and nothing else. The only file that knows
// every feature.
import { methodNotAllowed } from 'hono/method-not-allowed'
import { createAccessControl } from './accounts/access/access-control.ts'
import { foundingRoutes } from './accounts/founding.routes.ts'
import { createMembers } from './accounts/members/create-members.ts'
import { MembersStore } from './accounts/members/members.store.ts'
import { oauthRoutes } from './accounts/oauth/oauth.routes.ts'
import { operatorInvitationRoutes, operatorRoutes } from './accounts/operator/operator.routes.ts'
import { countByPepper } from './accounts/second-factor/totp-secrets.ts'
import { createOperatorService } from './accounts/operator/operator.service.ts'
import { tilesRoutes } from './accounts/operator/tiles.routes.ts'
import { createOrganisationsService } from './accounts/organisations.service.ts'
import { OrganisationsStore } from './accounts/organisations.store.ts'
import { PeopleStore } from './accounts/people/people.store.ts'
import { SessionsStore } from './accounts/people/sessions.store.ts'
import { createActDelivery } from './accounts/members/act-delivery.ts'
import { FactorsStore } from './accounts/second-factor/factors.store.ts'
import { AttemptsStore } from './accounts/sign-in/attempts.store.ts'
import { createSignIn } from './accounts/sign-in/create-sign-in.ts'
import { scryptHasher, type PasswordHasher } from './accounts/sign-in/password-hash.ts'
import { configuredKeys, createSigner } from './evidence/records/configured-keys.ts'
import { attestationKeyRoutes } from './public-log/attestation-keys.routes.ts'
import { verifyPage } from './public-log/verify-page.ts'
import { requireKeyForCall, requireKeyToRead, requireReferralKey } from './organisation/admit/require-key.ts'
import { callerApprovalRoutes, createCallerApprovalsService } from './gateway/approvals.routes.ts'
import { callRoutes } from './gateway/call/call.routes.ts'
import { createCallService } from './gateway/call/call.service.ts'
import { createEvidenceService, evidenceRoutes } from './gateway/evidence.routes.ts'
import { StoredAnswersStore } from './gateway/replay/stored-answers.store.ts'
import { countTokensRoutes } from './gateway/operations/messages/count-tokens.routes.ts'
import { modelRoutes } from './gateway/models.routes.ts'
import { createTransparencyService, transparencyRoutes } from './gateway/transparency.routes.ts'
import { loadLogConfig } from './public-log/public-log-config.ts'
import { AttestationPositions, PublicLogReader } from './public-log/public-log-reader.ts'
import { PublicLogFiles } from './public-log/public-log-files.store.ts'
import { publicLogRoutes } from './public-log/public-log.routes.ts'
import { createPublicLogService } from './public-log/public-log.service.ts'
import { openPublicIndex, openPublicLog } from './public-log/public-log.client.ts'
import { auditExportRoutes } from './management/audit/audit-export.routes.ts'
import { auditTrailRoutes } from './management/audit/audit-trail.routes.ts'
import { createAuditTrailService } from './management/audit/audit-trail.service.ts'
import { createAuditExportService } from './management/audit/audit-export.service.ts'
import { analyticsRoutes } from './management/analytics/analytics.routes.ts'
import { concordanceRoutes } from './management/concordance/concordance.routes.ts'
import { approvalRoutes } from './management/approvals/approvals.routes.ts'
import { createApprovalsService } from './management/approvals/approvals.service.ts'
import { biasRoutes } from './management/bias/bias.routes.ts'
import { keyRoutes } from './management/keys/keys.routes.ts'
import { createMailer, type Mailer } from './platform/mail.ts'
import { complianceRoutes } from './management/compliance/compliance.routes.ts'
import { createComplianceService } from './management/compliance/compliance.service.ts'
import { MemberFactsStore } from './management/compliance/member-facts.store.ts'
import { statementRoutes } from './management/compliance/statements.routes.ts'
import { contentRoutes } from './management/content/content.routes.ts'
import { createContentService } from './management/content/content.service.ts'
import { createErasures } from './management/erasure/create-erasures.ts'
import { exportRoutes } from './management/export/export.routes.ts'
import { createExportService } from './management/export/export.service.ts'
import { ExportedPeopleStore } from './management/export/exported-people.store.ts'
import { noticeRoutes } from './management/notifications/notices.routes.ts'
import { notificationRoutes } from './management/notifications/notifications.routes.ts'
import { requireFeature } from './management/require-feature.ts'
import { createRequiredFactor } from './management/settings/required-factor.ts'
import { createRequirementMails } from './management/settings/requirement-mails.ts'
import { settingsRoutes } from './management/settings/settings.routes.ts'
import { policyRoutes } from './management/policies/policies.routes.ts'
import { createChatGate } from './organisation/admit/chat-gate.ts'
import { createReferralGate } from './organisation/admit/referral-gate.ts'
import { organisationOpener } from './organisation/organisation-client.ts'
import { managedCallRoutes } from './management/calls/calls.routes.ts'
import { providerRoutes } from './management/providers.routes.ts'
import { receiptRoutes } from './management/receipts/receipts.routes.ts'
import { healthRoutes } from './health.routes.ts'
import { createHealthService } from './health.service.ts'
import { systemClock, systemPause } from './platform/time.ts'
import { describeSoftware, presentSoftware, serviceVersionOf } from './platform/build.ts'
import { readConfig } from './platform/config.ts'
import { vouchingProviders } from './platform/sign-in-config.ts'
import type { AppContext } from './platform/context.ts'
import { asksForPage, pageNotFound, renderError, renderErrorOrPage } from './platform/render-error.ts'
import { AppError } from './platform/errors.ts'
import { documentRoutes } from './platform/service.routes.ts'
import { answerPreflight, useRequestMiddleware } from './platform/request.middleware.ts'
import { createApi, type Api } from './platform/router.ts'
import { readinessRoutes } from './readiness.routes.ts'
import { readEurRate } from './providers/call-cost.ts'
import { readEndpointSettings } from './providers/endpoint-settings.ts'
import { exampleRoutes, readRoutes } from './referral/read.routes.ts'
import { outcomeRoutes } from './referral/outcomes/outcome.routes.ts'
import { createOutcomeService } from './referral/outcomes/outcome.service.ts'
import { readingLogRoutes } from './referral/reading-log.routes.ts'
import { sandboxKeyRoutes } from './referral/sandbox-key.routes.ts'
import { createReadService } from './referral/read.service.ts'
import { fillPage } from './referral/readers/fill-page.ts'
import { createLiveReadingService } from './referral/readers/live-reading.service.ts'
import { chooseReaderRoutes } from './referral/readers/reader-routes.ts'
import { createReaders } from './referral/readers/readers.ts'
import { whereLettersGo } from './referral/readers/where-letters-go.ts'
import { createExampleLoader } from './referral/examples/examples.ts'
import { datasetRoutes } from './referral/waiting-lists/datasets.routes.ts'
import { waitingListRoutes } from './referral/waiting-lists/waiting-lists.routes.ts'
import { createWaitingListService } from './referral/waiting-lists/waiting-lists.service.ts'
import { createWaitingListStore } from './referral/waiting-lists/waiting-lists.store.ts'

/** Test doubles that replace the parts which the settings name. */
type TestDoubles = { mailer?: Mailer; hasher?: PasswordHasher }

/** Builds the service's routes from its settings and bindings. Throws ConfigError. */
export function createApp(env: Cloudflare.Env, testDoubles: TestDoubles = {}): Api {
  const config = readConfig(env)
  const { peppers } = config
  const software = describeSoftware(env, config.environment)
  const worker = software?.worker?.id ?? null
  const open = organisationOpener(env.ORGANISATIONS, config.jurisdictions)
  const gate = createReferralGate(open, systemClock, worker)
  const requireKey = requireReferralKey(gate, peppers, 'waiting-lists:read')
  const requireReadingKey = requireReferralKey(gate, peppers, 'referral:read')
  const store = createWaitingListStore({ kv: env.DATASETS, r2: env.FILES, now: systemClock })
  const waitingLists = createWaitingListService({ store })
  const endpoints = readEndpointSettings(env, config.environment)
  const readers = createReaders({ ...config, endpoints })
  const lettersGo = whereLettersGo(chooseReaderRoutes(config.readers, endpoints))
  const loadExamples = createExampleLoader(env.ASSETS)
  const chatGate = createChatGate(open, systemClock, worker)
  const attestationKeys = configuredKeys(env, config)
  const signer = attestationKeys && createSigner(attestationKeys)
  const signing = { signer, hashInLog: config.readingHashInLog, serviceVersion: serviceVersionOf(software) }
  const live = readers && createLiveReadingService({ gate, readers, clock: systemClock, signing })
  const outcomeService = createOutcomeService({
    gate,
    requireKey: requireReadingKey,
    peppers,
    keys: attestationKeys,
    signer,
    waitingLists,
    hashInLog: config.readingHashInLog,
    clock: systemClock,
  })
  const readService = createReadService({ gate, peppers, waitingLists, loadExamples, live })
  const requireReadKey = requireKeyToRead(chatGate, peppers)
  const eurRate = readEurRate(config.eurPerUsd.rate)
  const callService = createCallService({
    gate: chatGate,
    signer,
    peppers,
    endpoints,
    limits: config.chatLimits,
    eurRate,
    storedAnswers: new StoredAnswersStore(env.FILES),
    clock: systemClock,
    bucket: env.FILES,
  })
  const transparency = createTransparencyService({ gate: chatGate, peppers, signer, clock: systemClock })
  const logConfig = loadLogConfig(env, config)
  const openLogWriter = () => openPublicLog(env.PUBLIC_LOG, config.jurisdictions)
  const publicLog = createPublicLogService({
    served: new PublicLogReader({
      files: new PublicLogFiles(env.FILES, env.FILES_MIRROR ?? null),
      ensureHead: async () => openLogWriter().ensureHead(),
      restorePartialTiles: async () => openLogWriter().restorePartialTiles(),
      signer,
      clock: systemClock,
    }),
    log: logConfig,
    positions: new AttestationPositions(openPublicIndex(env.PUBLIC_LOG_INDEX, config.jurisdictions), systemClock),
  })
  const evidence = createEvidenceService({
    gate: chatGate,
    peppers,
    keys: attestationKeys,
    signer,
    publicLog,
    clock: systemClock,
  })
  const callerApprovals = createCallerApprovalsService({ gate: chatGate, peppers, open, signer, pause: systemPause })
  const organisations = new OrganisationsStore(env.DB)
  const organisationsService = createOrganisationsService({ organisations, open, clock: systemClock })
  const operator = createOperatorService({
    organisations,
    organisationsService,
    open,
    openPublicLog: openLogWriter,
    countByPepper: () => countByPepper(env.DB),
    clock: systemClock,
    pepper: config.signingPepper,
  })

  const { publicOrigin } = config.signIn
  const membersStore = new MembersStore(env.DB, vouchingProviders(config.signIn))
  const mailer = testDoubles.mailer ?? createMailer(config.signIn.mail, env.EMAIL)
  const sessions = new SessionsStore(env.DB)
  const factors = new FactorsStore(env.DB)
  const delivery = createActDelivery({ db: env.DB, open, clock: systemClock })
  const access = createAccessControl({ sessions, factors, gate: chatGate, peppers, publicOrigin, clock: systemClock })
  const signIn = createSignIn({
    db: env.DB,
    config: config.signIn,
    access,
    sessions,
    members: membersStore,
    mailer,
    hasher: testDoubles.hasher ?? scryptHasher,
    foundByPerson: organisationsService.foundByPerson,
    factors,
    delivery,
    open,
    signingPepper: config.signingPepper,
    peppers,
    isProduction: config.environment === 'production',
    operatorTokens: config.operatorTokens,
    networkLimit: env.SIGN_IN_SIEVE,
    clock: systemClock,
  })
  const attempts = new AttemptsStore(env.DB)
  const members = createMembers({
    db: env.DB,
    open,
    access,
    sessions,
    members: membersStore,
    mailer,
    signUp: signIn.signUp,
    countTry: async (...tried) => attempts.countTry(...tried),
    pepper: config.signingPepper,
    publicOrigin,
    clock: systemClock,
  })
  const oauth = oauthRoutes({
    db: env.DB,
    open,
    signIn: config.signIn,
    access,
    sessions,
    mailer,
    secondStep: signIn.secondStep,
    assertNotTooOften: (c) => signIn.assertNotTooOften(c),
    allowsPlainHttp: config.environment === 'local',
    clock: systemClock,
  })

  const erasures = createErasures({ db: env.DB, sessions, open, mailer, clock: systemClock })
  const content = createContentService({ open, bucket: env.FILES })
  const exporting = createExportService({
    organisations,
    organisationsService,
    people: new PeopleStore(env.DB),
    factors,
    sessions,
    exportedPeople: new ExportedPeopleStore(env.DB),
    open,
    signer,
    clock: systemClock,
  })

  const app = createApi()
  useRequestMiddleware(app)
  app.use(methodNotAllowed({ app, onMethodNotAllowed: answerOtherMethod }))
  app.onError(renderErrorOrPage)
  app.notFound(
    async (c) =>
      (asksForPage(c) ? await pageNotFound(env.ASSETS) : null) ??
      renderError(
        new AppError('not_found', 'There is nothing at this address. GET /v1/openapi.json describes every route.'),
        c,
      ),
  )

  app.route('/', readRoutes(readService, requireReadingKey))
  app.route('/', waitingListRoutes(waitingLists, requireKey))
  app.route('/', datasetRoutes({ store, operator, operatorTokens: config.operatorTokens, clock: systemClock }))
  app.route('/', outcomeRoutes(outcomeService, requireReadingKey))
  app.route('/', readingLogRoutes({ gate, peppers, signer, clock: systemClock }, requireReadingKey))
  app.route('/', exampleRoutes(requireKey, loadExamples))
  app.route(
    '/',
    sandboxKeyRoutes({
      kv: env.DATASETS,
      operator,
      operatorTokens: config.operatorTokens,
      peppers,
      clock: systemClock,
    }),
  )
  app.route('/', callRoutes(callService, requireKeyForCall(chatGate, peppers)))
  app.route('/', countTokensRoutes(callService, requireReadKey))
  app.route('/', modelRoutes({ gate: chatGate, peppers, endpoints }))
  app.route('/', attestationKeyRoutes(attestationKeys, systemClock))
  for (const page of ['/', '/reference']) app.get(page, async (c) => fillPage(c, page, lettersGo))
  app.get('/verify', async () => verifyPage(env.ASSETS, attestationKeys))
  app.route('/', evidenceRoutes(evidence, requireReadKey))
  app.route('/', callerApprovalRoutes(callerApprovals, requireReadKey))
  app.route('/', transparencyRoutes(transparency, requireReadKey))
  app.route('/', publicLogRoutes(publicLog))
  app.route('/', keyRoutes({ open, access, clock: systemClock, pepper: config.signingPepper }))
  app.route('/', operatorRoutes(operator, config.operatorTokens, systemClock))
  app.route('/', tilesRoutes(operator, config.operatorTokens))
  app.route('/', signIn.routes)
  app.route('/', oauth)
  app.route('/', operatorInvitationRoutes({ ...members, ...config, organisations, publicOrigin }))
  app.route(
    '/',
    foundingRoutes({
      access,
      foundByPerson: organisationsService.foundByPerson,
      countFounding: (person) => signIn.countFounding(person),
      signUp: config.signIn.signUp,
    }),
  )
  app.route('/', providerRoutes({ access, endpoints, eurRate, clock: systemClock }))
  app.route('/', members.routes)
  app.route('/', noticeRoutes({ access, open, db: env.DB, publicOrigin, sendsMail: mailer.sends }))
  app.route('/', erasures.routes({ access, publicOrigin, operatorTokens: config.operatorTokens }))
  app.route(
    '/',
    approvalRoutes(
      createApprovalsService({
        open,
        signer,
        members: membersStore,
        bucket: env.FILES,
        clock: systemClock,
      }),
      access,
    ),
  )
  const requiredFactor = createRequiredFactor({
    service: organisationsService,
    access,
    mails: createRequirementMails({ organisations, members: membersStore, mailer }),
    clock: systemClock,
  })
  app.route('/', settingsRoutes({ organisations, service: organisationsService, access, requiredFactor, publicOrigin }))
  app.route('/', analyticsRoutes(open, access, systemClock))
  app.route(
    '/',
    concordanceRoutes(open, access, () => waitingLists.namesInOrder()),
  )
  app.route('/', policyRoutes(open, access, systemClock))
  app.route('/', notificationRoutes({ open, webhooks: config.webhooks, access }))
  app.route('/', contentRoutes(content, access))
  app.route('/', statementRoutes(open, access))
  app.route(
    '/',
    complianceRoutes({
      service: createComplianceService({
        organisations,
        people: new MemberFactsStore(env.DB, vouchingProviders(config.signIn)),
        open,
        keys: attestationKeys,
        signer,
        publicOrigin,
        clock: systemClock,
      }),
      access,
      clock: systemClock,
      requireReports: requireFeature(open, 'compliance_report', 'the compliance report'),
      requirePdf: requireFeature(open, 'pdf_report', 'the report as a PDF'),
    }),
  )
  app.route(
    '/',
    biasRoutes({
      open,
      access,
      requireBiasDetection: requireFeature(open, 'bias_detection', 'bias detection'),
      clock: systemClock,
    }),
  )
  app.route('/', exportRoutes(exporting, access, systemClock))
  const evidenceDeps = { open, keys: attestationKeys, signer, publicLog, clock: systemClock }
  app.route('/', receiptRoutes({ ...evidenceDeps, access }))
  app.route('/', managedCallRoutes({ ...evidenceDeps, access }))
  const auditExports = createAuditExportService(evidenceDeps)
  app.route('/', auditExportRoutes(auditExports, access, systemClock))
  const auditTrail = createAuditTrailService({ open, content })
  app.route('/', auditTrailRoutes({ service: auditTrail, access, open, clock: systemClock }))
  const logSigner = logConfig && createSigner(logConfig.keys)
  const health = createHealthService({ db: env.DB, signer, logSigner, clock: systemClock })
  app.route(
    '/',
    healthRoutes(() => waitingLists.servedDates(), health, presentSoftware(software)),
  )
  app.route('/', readinessRoutes(env, systemClock))
  app.route('/', documentRoutes(lettersGo))
  return app
}

/** Answers a method that the route lacks. OPTIONS under `/v1` is a browser's preflight, elsewhere a wrong method. */
function answerOtherMethod(c: AppContext, methods: string[]): Response {
  const isPreflight = c.req.method === 'OPTIONS' && c.req.path.startsWith('/v1/')
  return isPreflight ? answerPreflight(c, methods) : renderError(wrongMethod(methods), c)
}

const wrongMethod = (methods: readonly string[]): AppError =>
  new AppError('method_not_allowed', `This address does not accept this method. Use ${methods.join(', ')}.`, {
    headers: { allow: methods.join(', ') },
  })
