"""The continent of a country: ISO 3166-1 codes of three and two letters, by the regions of the United Nations (M49)."""

from __future__ import annotations

from study.countries import country_of

_COUNTRIES = {
    "AFRICA": (
        "DZA:DZ AGO:AO BEN:BJ BWA:BW BFA:BF BDI:BI CPV:CV CMR:CM CAF:CF TCD:TD COM:KM COG:CG COD:CD CIV:CI DJI:DJ "
        "EGY:EG GNQ:GQ ERI:ER SWZ:SZ ETH:ET GAB:GA GMB:GM GHA:GH GIN:GN GNB:GW KEN:KE LSO:LS LBR:LR LBY:LY MDG:MG "
        "MWI:MW MLI:ML MRT:MR MUS:MU MYT:YT MAR:MA MOZ:MZ NAM:NA NER:NE NGA:NG REU:RE RWA:RW SHN:SH STP:ST SEN:SN "
        "SYC:SC SLE:SL SOM:SO ZAF:ZA SSD:SS SDN:SD TZA:TZ TGO:TG TUN:TN UGA:UG ESH:EH ZMB:ZM ZWE:ZW"
    ),
    "ASIA": (
        "AFG:AF ARM:AM AZE:AZ BHR:BH BGD:BD BTN:BT BRN:BN KHM:KH CHN:CN CYP:CY GEO:GE HKG:HK IND:IN IDN:ID IRN:IR "
        "IRQ:IQ ISR:IL JPN:JP JOR:JO KAZ:KZ PRK:KP KOR:KR KWT:KW KGZ:KG LAO:LA LBN:LB MAC:MO MYS:MY MDV:MV MNG:MN "
        "MMR:MM NPL:NP OMN:OM PAK:PK PSE:PS PHL:PH QAT:QA SAU:SA SGP:SG LKA:LK SYR:SY TWN:TW TJK:TJ THA:TH TLS:TL "
        "TUR:TR TKM:TM ARE:AE UZB:UZ VNM:VN YEM:YE"
    ),
    "EUROPE": (
        "ALA:AX ALB:AL AND:AD AUT:AT BLR:BY BEL:BE BIH:BA BGR:BG HRV:HR CZE:CZ DNK:DK EST:EE FRO:FO FIN:FI FRA:FR "
        "DEU:DE GIB:GI GRC:GR GGY:GG VAT:VA HUN:HU ISL:IS IRL:IE IMN:IM ITA:IT JEY:JE LVA:LV LIE:LI LTU:LT LUX:LU "
        "MLT:MT MDA:MD MCO:MC MNE:ME NLD:NL MKD:MK NOR:NO POL:PL PRT:PT ROU:RO RUS:RU SMR:SM SRB:RS SVK:SK SVN:SI "
        "ESP:ES SJM:SJ SWE:SE CHE:CH UKR:UA GBR:GB"
    ),
    "NORTH AMERICA": (
        "AIA:AI ATG:AG ABW:AW BHS:BS BRB:BB BLZ:BZ BMU:BM BES:BQ VGB:VG CAN:CA CYM:KY CRI:CR CUB:CU CUW:CW DMA:DM "
        "DOM:DO SLV:SV GRL:GL GRD:GD GLP:GP GTM:GT HTI:HT HND:HN JAM:JM MTQ:MQ MEX:MX MSR:MS NIC:NI PAN:PA PRI:PR "
        "BLM:BL KNA:KN LCA:LC MAF:MF SPM:PM VCT:VC SXM:SX TTO:TT TCA:TC USA:US VIR:VI"
    ),
    "SOUTH AMERICA": (
        "ARG:AR BOL:BO BRA:BR CHL:CL COL:CO ECU:EC FLK:FK GUF:GF GUY:GY PRY:PY PER:PE SUR:SR URY:UY VEN:VE"
    ),
    "OCEANIA": (
        "ASM:AS AUS:AU COK:CK FJI:FJ PYF:PF GUM:GU KIR:KI MHL:MH FSM:FM NRU:NR NCL:NC NZL:NZ NIU:NU NFK:NF MNP:MP "
        "PLW:PW PNG:PG PCN:PN WSM:WS SLB:SB TKL:TK TON:TO TUV:TV VUT:VU WLF:WF"
    ),
}
_CONTINENT_OF = {
    code: continent for continent, codes in _COUNTRIES.items() for pair in codes.split() for code in pair.split(":")
}


def continent_of(country: str) -> str | None:
    """The continent of a country's code or name, in capitals; a continent is its own; None for anything else."""
    text = country.strip().upper()
    if text in _COUNTRIES:
        return text
    return _CONTINENT_OF.get(text) or _CONTINENT_OF.get(country_of(country) or "")
