// The commonest parts of passwords: words, rows of characters and long phrases. A password of only a few such parts is too weak.
// Compiled for this project, beside a published list whose source and licence its file names.
import common from '../../../data/common-passwords.json' with { type: 'json' }

/** Words that each count as one part of a password. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  `password passwort passwords passwd pass motdepasse contrasena contraseña parola senha wachtwoord haslo lozinka salasana losenord
  focalfaire admin administrator root user username guest login logon signin welcome willkommen bienvenue bienvenido default secret secure
  security private letmein letme access master system server network computer internet google facebook linkedin instagram twitter
  microsoft windows apple iphone samsung android changeme change temp temporary test testing tester demo example sample hello hallo hola
  bonjour hi goodbye bye please thankyou thanks love lover loveme lovely hate iloveyou iloveu ilove iheart loveyou youandme forever always
  never together sweetheart sweetie honey baby babygirl babyboy darling angel princess queen king prince mylove mywife myhusband family
  mother father mommy mummy daddy brother sister children friend friends bestfriend bestfriends sunshine moonlight starlight rainbow
  butterfly flower flowers rose summer winter spring autumn monday tuesday wednesday thursday friday saturday sunday january february
  march april june july august september october november december christmas holiday birthday happy happybirthday smile lucky beautiful
  handsome pretty cool awesome super superman batman spiderman wonderwoman ironman captainamerica starwars startrek skywalker pokemon
  pikachu minecraft fortnite hogwarts harrypotter potter dragon monkey tiger lion panther eagle falcon dolphin horse pony kitten kitty
  puppy doggy dog cat rabbit panda bear teddybear chocolate cookie coffee banana orange cherry pepper ginger peanut cheese pizza whiskey
  guinness football soccer baseball basketball hockey rugby golf tennis hurling fc liverpool arsenal chelsea everton manchester united
  barcelona realmadrid juventus celtic rangers ireland irish dublin cork galway limerick belfast munster leinster connacht ulster england
  london scotland wales america germany france hospital clinic doctor nurse patient medical medicine health healthcare surgery pharmacy
  referral office company business manager michael jennifer jessica charlie daniel thomas jordan joshua matthew andrew robert william
  george patrick sean mary maria anna ashley nicole hannah sarah amanda michelle elizabeth victoria alexander anthony benjamin christopher
  freedom whatever trustno trustnoone nothing something everything anything incorrect unknown nobody god jesus christ jesuschrist
  favourite favorite jesuslovesme blessed amen hunter killer shadow phoenix ninja samurai pirate warrior soldier mustang ferrari porsche mercedes toyota
  yamaha harley money dollar diamond silver golden gold music guitar metallica nirvana eminem beatles the my your our is are was this that
  you me i am and for with not one two three four five six seven eight nine ten abc xyz asd qwe zxc`.split(/\s+/),
)

/** Rows of keyboards, the digits and the alphabet. Three or more neighbours, in either direction, are one part of a password. */
export const CHARACTER_ROWS: readonly string[] = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop[]asdfghjkl;zxcvbnm,./',
  'qwertzuiopüasdfghjklöäyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  'qwertyuiopasdfghjklzxcvbnm',
  'йцукенгшщзхъфывапролджэячсмитьбю',
  'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/',
  'zaq1xsw2cde3vfr4bgt5nhy6mju7,ki8.lo9/;p0',
  'qazwsxedcrfvtgbyhnujmikolp',
  'zaqxswcdevfrbgtnhymjukilop',
  '1qazxsw23edcvfr45tgbnhy67ujm',
  '1qa2ws3ed4rf5tg6yh7uj8ik9ol0p',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'a1b2c3d4e5f6g7h8i9j0k1l2m3n4',
  '1a2b3c4d5e6f7g8h9i0j',
  'aabbccddeeffgghhiijjkkllmmnnooppqqrrssttuuvvwwxxyyzz',
  '0102030405060708090',
  '123456789101112131415161718192021222324252627282930',
  '2468101214161820222426283032',
  '135791113151719212325272931',
  '1324354657687980',
  '147258369',
  '159753',
  '31415926535897932384626433832795',
  '!"£$%^&*()_+',
  '!@#$%^&*()_+',
  '!"§$%&/()=?',
]

/** The published passwords, and phrases that people write with spaces or without. */
export const COMMON_PHRASES: ReadonlySet<string> = new Set([
  ...common.entries,
  ...`actionsspeaklouder allyouneedislove alphabravocharlie alphabravocharliedelta
  amazinggracehowsweet anappleadaykeepsthedoctor anappleadaykeepsthedoctoraway antidisestablishmentarianism apictureisworth
  arsenalfootballclub avengedsevenfold avengersassemble averylongpassword averylongpasswordindeed averysecurepassword averystrongpassword
  backinblack backinblackacdc backtothefuture believeinyourself betterlatethannever bibbidibobbidiboo bobmarleyonelove bohemianrhapsody
  borussiadortmund breakingbadrules californication callofdutyblackops captainjacksparrow carpediem catchmeifyoucan
  chelseafootballclub chevroletcorvette correcthorsebattery correcthorsebatterystaple cristianoronaldo darksideofthemoon
  doctorwhodoctorwho donkeykongcountry dontstealmypassword dontstopbelievin dontstopbelieving dontworrybehappy doremifasolatido
  dreambigdreambig dreamscometrue dreamsdocometrue dublincityireland eeniemeenieminymoe eenymeenyminymoe enterpasswordhere
  enteryourpassword eringobragh1916 everybreathyoutake everythinghappens everythinghappensforareason everythingisawesome
  everythingwillbefine everythingwillbeok expectopatronum familiyafamiliya fcbarcelona1899 fellowshipofthering ferraritestarossa
  fifteencharacters finalfantasyvii firstsecondthird followthewhiterabbit followyourdreams fordmustang1967 forgodsolovedtheworld
  forgotmypassword fourteencharacters fullofgracetrust galatasaray1905 godblessamerica godisgood godisgoodallthetime godislove
  goldenretriever goodmorning goodmorningeveryone goodmorningsunshine goodnight goodnightmoon gotohellgotohell greenbaypackers
  gryffindorhouse guardiansofthegalaxy gunsandrosesforever hailmaryfullofgrace hakunamatata hakunamatata123 hakunamatatahakuna
  happilyeverafter harleydavidson1 harrypotterandthe hastalavistababy haveagoodday haveaniceday havefunstaysafe helloeverybody
  helloitsmeagain helloworldagain helloworldhello herecomesthesun hereicomethesun horsebatterystaple hotelcalifornia houstonwehaveaproblem
  howareyoutoday howimetyourmother iamironman iamthebest iamthewayandthetruth iamyourfather ichliebedichsehr idontknowmypassword
  iforgotmypassword ilovegod ilovejesus ilovejesuschrist ilovemusic ilovemycat ilovemychildren ilovemydog ilovemykids ilovemymom
  ilovemymum ilovemyself ilovemywife iloveyoubaby iloveyouforever iloveyoumore iloveyousomuch iloveyoutothemoonandback iloveyouverymuch
  imagineallthepeople imissyousomuch imthebestintheworld incywincyspider inthebeginningwastheword itsalwayssunnyinphiladelphia itsmeagain
  itsybitsyspider iwanttoholdyourhand iwillalwaysloveyou januaryfebruary jesusismysaviour jesuslovesyou jetaimepourtoujours
  jumpsoverthelazydog keepcalmandcarry keepcalmandcarryon knockinonheavensdoor knowledgeispower labradorretriever lamborghiniaventador
  leagueoflegends ledzeppelinrocks letitbe letmeinplease linkinparkrocks livehappilyeverafter livelaughloveforever livelongandprosper
  liveloveandlaugh liverpoolfootballclub livingonaprayer llanfairpwllgwyngyll longpasswordislong loremipsumdolor loremipsumdolorsitamet
  losangeleslakers losingmyreligion loveisallyouneed loveyouforever loveyoutothemoon lukeiamyourfather maryhadalittlelamb
  masterofpuppets maytheforcebewithyou meinpasswort123 michaeljordan23 mickeymouseclub minecraftforever motherofdragons mychemicalromance
  myheartwillgoon mynameis mypasswordispassword mysecretpassword mysuperpassword neongenesisevangelion nevergiveup nevergiveupnever
  newcastleunited newenglandpatriots nobodyknowsthis nopainnogain nopainnogainnopain northsoutheastwest nothingelsematters
  oldmacdonaldhadafarm onceuponatime onceuponatimetherewas oneringtorulethemall onetwobucklemyshoe onetwothreefour onetwothreefourfive
  opensesameopensesame opensesameplease openthedoor openthedoorplease ourfatherinheaven ourfatherwhoartinheaven
  pinkfloydthewall pirateofthecaribbean piratesofthecaribbean pittsburghsteelers pneumonoultramicroscopicsilicovolcanoconiosis
  practicemakesperfect quickbrownfoxjumps rageagainstthemachine redgreenblueyellow redhotchilipeppers redorangeyellowgreen
  rememberthispassword returnoftheking rowrowrowyourboat saymynameheisenberg scoobydoowhereareyou seizethedayseize shakeitoffshakeitoff
  smellsliketeenspirit spongebobsquarepants springsummerautumnwinter stairwaytoheaven stopreadingthis strawberryfieldsforever
  supercalifragilisticexpialidocious supersecretpassword sweetchildofmine teamomuchomiamor teamoteamoteamo teenagemutantninjaturtles
  thatisthequestion thebigbangtheory thecatsatonthemat theforcebewithyou thelegendofzelda thelordismyshepherd thelordoftherings
  thepasswordis thequickbrownfox thequickbrownfoxjumps thequickbrownfoxjumpsoverthelazydog therearefourlights thereisnospoon
  theshowmustgoon thesimpsonsrule thewallpinkfloyd thirtysecondstomars thisisapassword thisisasecret thisisasecretpassword
  thisismypassword thisismysecretpassword thisisnotmypassword thrillerthriller tillthelastbreath timeismoney timeismoneymoney timetochange
  tobeornottobe topsecretpassword tothemoonandback tottenhamhotspur trustmeiamadoctor trustmeimadoctor
  twinkletwinklelittlestar verylongpassword wearethechampions welcometothejungle whatgoesaroundcomesaround whatisthepassword
  whatisyourname whenlifegivesyoulemons whereverimayroam whiskeytangofoxtrot whoareyou whoframedrogerrabbit winteriscoming
  withgreatpowercomesgreatresponsibility worldofwarcraft yellowsubmarine yorkshireterrier youarebeautiful youaremyeverything
  youaremysunshine youcannotguessthis youknownothingjonsnow youllneverguess youllneverwalkalone yourpasswordhere youshallnotpass
  youwillneverguess youwillneverguessthis`.split(/\s+/),
])
