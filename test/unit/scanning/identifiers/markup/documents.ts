// Documents around a letter, in the form in which common programs write them: heads, style sheets, tables of revisions.

export const DOCUMENTS: Readonly<Record<string, (letter: string) => string>> = {
  Outlook: (
    letter,
  ) => `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word" xmlns:m="http://schemas.microsoft.com/office/2004/12/omml" xmlns="http://www.w3.org/TR/REC-html40"><head><meta http-equiv=Content-Type content="text/html; charset=utf-8"><meta name=Generator content="Microsoft Word 15 (filtered medium)"><!--[if !mso]><style>v\\:* {behavior:url(#default#VML);}
o\\:* {behavior:url(#default#VML);}
</style><![endif]--><style><!--
/* Font Definitions */
@font-face
	{font-family:Wingdings;
	panose-1:5 0 0 0 0 0 0 0 0 0;}
@font-face
	{font-family:"Cambria Math";
	panose-1:2 4 5 3 5 4 6 3 2 4;}
@font-face
	{font-family:Calibri;
	panose-1:2 15 5 2 2 2 4 3 2 4;
	mso-font-charset:0;
	mso-font-signature:-536859905 -1073732485 9 0 511 0;}
/* Style Definitions */
p.MsoNormal, li.MsoNormal, div.MsoNormal
	{margin:0cm;
	font-size:11.0pt;
	font-family:"Calibri",sans-serif;
	mso-fareast-language:EN-US;}
@page WordSection1
	{size:612.0pt 792.0pt;
	margin:72.0pt 72.0pt 72.0pt 72.0pt;}
/* List Definitions */
@list l0
	{mso-list-id:1069577353;
	mso-list-type:hybrid;
	mso-list-template-ids:-1729087632 403243009 403243011 403243013;}
@list l0:level1
	{mso-level-number-format:bullet;
	mso-level-text:\\F0B7;
	margin-left:36.0pt;
	text-indent:-18.0pt;
	font-family:Symbol;}
--></style><!--[if gte mso 9]><xml>
<o:shapedefaults v:ext="edit" spidmax="1026" />
</xml><![endif]--></head><body lang=EN-IE link="#0563C1" vlink="#954F72" style='word-wrap:break-word'><div class=WordSection1><p class=MsoNormal><span style='mso-fareast-language:EN-US'>${letter}<o:p></o:p></span></p><p class=MsoNormal><img width=120 height=40 style='width:1.25in;height:.4166in' id="Picture_x0020_1" src="cid:image001.png@01DA1234.56789AB0" alt="Logo"></p><p class=MsoNormal><a href="https://www.example.org/leaflet">leaflet</a></p></div></body></html>`,
  Gmail: (letter) =>
    `<div dir="ltr"><div class="gmail_quote"><div class="gmail-m_-1234567890123456789WordSection1"><p class="gmail-m_-1234567890123456789MsoNormal">${letter}<u></u><u></u></p></div></div><div id="m_-8899001122334455667AppleMailSignature" dir="ltr">Regards</div></div>`,
  'Google Docs': (letter) =>
    `<html><head><meta content="text/html; charset=UTF-8" http-equiv="content-type"><style type="text/css">.lst-kix_1234567890ab-0>li:before{content:"\\0025cf   "}ol{margin:0;padding:0}.c1{padding-top:0pt;line-height:1.15;orphans:2;widows:2;text-align:left}@import url(https://themes.googleusercontent.com/fonts/css?kit=fpjTOVmNbO4Lz34iLyptLUXza5VhXqVC6o75Eld_V98)</style></head><body class="c2 doc-content"><p class="c1"><span class="c0">${letter}</span></p></body></html>`,
  'LibreOffice, as HTML': (letter) => `<!DOCTYPE html>
<html>
<head>
	<meta http-equiv="content-type" content="text/html; charset=utf-8"/>
	<title></title>
	<meta name="generator" content="LibreOffice 24.2.5.2 (Linux)"/>
	<style type="text/css">
		@page { size: 21cm 29.7cm; margin: 2cm }
		p { line-height: 115%; margin-bottom: 0.25cm; background: transparent }
	</style>
</head>
<body lang="en-IE" link="#000080" vlink="#800000" dir="ltr"><p style="line-height: 100%; margin-bottom: 0cm">
${letter}</p>
</body>
</html>`,
  'LibreOffice, with its dates': (letter) =>
    `<meta name="created" content="2026-11-03T10:12:44.123456789"/><meta name="changed" content="2026-11-03T10:15:00"/><p>${letter}</p>`,
  'Word, as RTF': (
    letter,
  ) => `{\\rtf1\\adeflang1025\\ansi\\ansicpg1252\\uc1\\adeff31507\\deff0\\stshfdbch31506\\stshfloch31506\\stshfhich31506\\stshfbi31507\\deflang6153\\deflangfe1033\\themelang6153\\themelangfe0\\themelangcs0{\\fonttbl{\\f0\\fbidi \\froman\\fcharset0\\fprq2{\\*\\panose 02020603050405020304}Times New Roman;}{\\f34\\fbidi \\froman\\fcharset0\\fprq2{\\*\\panose 02040503050406030204}Cambria Math;}
{\\f37\\fbidi \\fswiss\\fcharset0\\fprq2{\\*\\panose 020f0502020204030204}Calibri;}}{\\colortbl;\\red0\\green0\\blue0;\\red0\\green0\\blue255;}{\\*\\defchp \\f31506\\fs22 }{\\*\\defpap \\ql \\li0\\ri0\\sa160\\sl259\\slmult1
\\widctlpar\\wrapdefault\\aspalpha\\aspnum\\faauto\\adjustright\\rin0\\lin0\\itap0 }\\noqfpromote {\\stylesheet{\\ql \\li0\\ri0\\sa160\\sl259\\slmult1\\widctlpar \\rtlch\\fcs1 \\af31507\\afs22\\alang1025 \\snext0 \\sqformat \\spriority0 Normal;}{\\*\\cs10 \\additive \\sunhideused \\spriority1 Default Paragraph Font;}}
{\\*\\rsidtbl \\rsid1714229\\rsid4283912\\rsid10504932\\rsid16007733}{\\mmathPr\\mmathFont34\\mbrkBin0}{\\info{\\author Dr Practice}{\\operator Dr Practice}{\\creatim\\yr2026\\mo11\\dy3\\hr10\\min12}{\\revtim\\yr2026\\mo11\\dy3\\hr10\\min15}{\\version2}{\\edmins3}{\\nofpages1}{\\nofwords20}{\\nofchars120}{\\vern57435}}
{\\*\\xmlnstbl {\\xmlns1 http://schemas.microsoft.com/office/word/2003/wordml}}\\paperw11906\\paperh16838\\margl1440\\margr1440\\margt1440\\margb1440\\gutter0\\ltrsect
\\widowctrl\\ftnbj\\aenddoc\\trackmoves0\\viewkind1\\viewscale100\\rsidroot10504932 \\fet0{\\*\\wgrffmtfilter 2450}\\sectd \\ltrsect\\linex0\\headery708\\sectrsid4283912\\sftnbj {\\*\\pnseclvl1\\pnucrm\\pnstart1\\pnindent720\\pnhang {\\pntxta .}}
\\pard\\plain \\ltrpar\\ql \\li0\\ri0\\sa160\\sl259\\slmult1\\widctlpar\\rin0\\lin0\\itap0\\pararsid10504932 \\rtlch\\fcs1 \\af31507\\afs22\\alang1025 \\ltrch\\fcs0 \\f31506\\fs22\\lang6153\\langfe1033\\cgrid\\langnp6153\\langfenp1033 {\\rtlch\\fcs1 \\af31507 \\ltrch\\fcs0 \\lang1033\\langfe1033\\langnp1033\\insrsid4283912\\charrsid1714229 ${letter}}{\\rtlch\\fcs1 \\af31507 \\ltrch\\fcs0 \\insrsid10504932 
\\par }{\\*\\themedata 504b030414000600080000002100e9de0fbfff0000001c020000130000005b436f6e74656e745f54797065735d2e786d6cac91cb4ec3301045f748fc83e52d4a
9cb2400825e982c78ec7a27cc0c8992416c9d8b2a755fbf74cd25442a820166c2cd933f79e3be372bd1f07b5c3989ca74aaff2422b24eb1b475da5df374fd9ad560b6b
b4ac1a1c2050d18c71abb11cd1ef1ab21b9c7e54b3}{\\*\\datastore 0105000002000000180000004d73786d6c322e534158584d4c5265616465722e362e3000000000000000000000060000
d0cf11e0a1b11ae1000000000000000000000000000000003e000300feff090006000000000000000000000001000000010000000000000000100000feffffff00000000feffffff0000000000000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
ffffffffffffffffffffffffffffffff00000000000000000000000000000000000000000000000000000000}}`,
  'a picture in RTF': (
    letter,
  ) => `{\\rtf1\\ansi {\\fonttbl\\f0\\fswiss Helvetica;}\\f0\\pard ${letter}\\par {\\pict\\wmetafile8\\picw2646\\pich1323\\picwgoal1500\\pichgoal750 010009000003e60000000000a900000000000400000003010800050000000b0200000000050000000c0264006400
0300000000001234567890123456789012345678901234567890}\\par}`,
  'LibreOffice, as RTF': (letter) => `{\\rtf1\\ansi\\deff4\\adeflang1025
{\\fonttbl{\\f0\\froman\\fprq2\\fcharset0 Times New Roman;}{\\f4\\froman\\fprq0\\fcharset128 Liberation Serif{\\*\\falt Times New Roman};}}
{\\colortbl;\\red0\\green0\\blue0;}
{\\stylesheet{\\s0\\snext0\\dbch\\af6\\langfe2052\\dbch\\af7\\afs24\\alang1081\\ql\\keepn0\\nowidctlpar\\sb0\\sa0\\ltrpar\\hyphpar1\\aspalpha\\cf0\\loch\\f4\\fs24\\lang6153\\kerning1 Normal;}}
{\\*\\generator LibreOffice/24.2.5.2$Linux_X86_64 LibreOffice_project/420$Build-2}{\\info{\\creatim\\yr2026\\mo11\\dy3\\hr10\\min12}}{\\*\\userprops}\\deftab709
\\hyphauto1\\viewscale100\\formshade\\paperh16838\\paperw11906\\margl1134\\margr1134\\margt1134\\margb1134\\sectd\\sbknone\\sftnnar\\saftnnrlc\\sectunlocked1\\pgwsxn11906\\pghsxn16838\\marglsxn1134\\margrsxn1134\\margtsxn1134\\margbsxn1134\\ftnbj\\ftnstart1\\ftnrstcont\\ftnnar\\aenddoc\\aftnrstcont\\aftnstart1\\aftnnrlc
{\\*\\ftnsep\\chftnsep}\\pgndec\\pard\\plain \\s0\\ql\\ltrpar{\\loch
${letter}}
\\par }`,
  TextEdit: (
    letter,
  ) => `{\\rtf1\\ansi\\ansicpg1252\\cocoartf2761\\cocoatextscaling0\\cocoaplatform0{\\fonttbl\\f0\\fswiss\\fcharset0 Helvetica;}
{\\colortbl;\\red255\\green255\\blue255;}
{\\*\\expandedcolortbl;;}
\\paperw11900\\paperh16840\\margl1440\\margr1440\\vieww11520\\viewh8400\\viewkind0
\\pard\\tx720\\tx1440\\tx2160\\tx2880\\tx3600\\tx4320\\tx5040\\tx5760\\tx6480\\tx7200\\tx7920\\tx8640\\pardirnatural\\partightenfactor0

\\f0\\fs24 \\cf0 ${letter}}`,
  WordPad: (
    letter,
  ) => `{\\rtf1\\ansi\\ansicpg1252\\deff0\\nouicompat\\deflang6153{\\fonttbl{\\f0\\fnil\\fcharset0 Calibri;}}
{\\*\\generator Riched20 10.0.19041}\\viewkind4\\uc1 
\\pard\\sa200\\sl276\\slmult1\\f0\\fs22\\lang9 ${letter}\\par
}`,
  CDA: (letter) =>
    `<?xml version="1.0" encoding="UTF-8"?><ClinicalDocument xmlns="urn:hl7-org:v3"><typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/><templateId root="2.16.840.1.113883.2.1.3.2.4.18.1"/><component><section><title>Reason for referral</title><text><paragraph>${letter}</paragraph></text></section></component></ClinicalDocument>`,
  'Word, as a web page': (
    letter,
  ) => `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"><head><!--[if gte mso 9]><xml>
 <o:DocumentProperties><o:Created>2026-11-03T10:12:00Z</o:Created><o:LastSaved>2026-11-03T10:15:00Z</o:LastSaved><o:Characters>1234567</o:Characters></o:DocumentProperties>
</xml><![endif]--><!--[if gte mso 9]><xml><w:LatentStyles DefLockedState="false" LatentStyleCount="376"></w:LatentStyles></xml><![endif]-->
</head><body lang=EN-IE><div class=WordSection1><p class=MsoNormal><a name="_Toc61234567"></a><span
style='mso-no-proof:yes'><!--[if gte vml 1]><v:shapetype id="_x0000_t75"
 coordsize="21600,21600" o:spt="75" path="m@4@5l@4@11@9@11@9@5xe" filled="f">
</v:shapetype><v:shape id="Picture_x0020_1" o:spid="_x0000_i1025" type="#_x0000_t75"><v:imagedata src="letter_files/image001.png"/></v:shape><![endif]--><![if !vml]><img
width=120 height=40 src="letter_files/image002.png"><![endif]></span></p>
<p class=MsoNormal><!--[if supportFields]><span style='mso-element:field-begin'></span> PAGEREF _Toc61234567 <![endif]-->${letter.replaceAll(' ', '\n')}<o:p></o:p></p></div></body></html>`,
  'Word, as RTF with a text box': (letter) =>
    String.raw`{\rtf1\ansi\deff0{\fonttbl{\f0 Calibri;}}\pard {\*\bkmkstart _Hlk61234567}Referral{\*\bkmkend _Hlk61234567}\par {\shp{\*\shpinst\shpleft100\shplid1026{\sp{\sn fillColor}{\sv 16777215}}{\shptxt \pard ${letter}\par }}}{\*\userprops {\propname Label_SetDate}\proptype30{\staticval 2026-11-03T10:12:00Z}}{\field{\*\fldinst PAGEREF _Toc61234567 \\h}{\fldrslt 2}}\revdttm-1234567890\par}`,
  'a FHIR bundle': (letter) =>
    JSON.stringify({
      resourceType: 'Composition',
      text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">\n\t<p>${letter}</p>\n</div>` },
      section: [{ code: { coding: [{ system: 'http://snomed.info/sct', code: '22298006', display: 'Infarct' }] } }],
    }),
  'HL7 v2': (letter) => `OBX|1|FT|||Reason\\.br\\${letter}||||||F\rNTE|1||GCS 15/15`,
  'a CDA section': (letter) =>
    `<section><id root="1a234567-89ab-4cde-8f01-23456789abcd"/><code code="22298006" codeSystem="2.16.840.1.113883.6.96" displayName="Myocardial infarction"/><text><list><item>Aspirin 75</item><item>${letter}</item></list></text></section>`,
}
