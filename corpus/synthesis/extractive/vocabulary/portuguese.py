"""Portuguese questions, and the texts that answer them."""

from __future__ import annotations

from corpus.synthesis.extractive.vocabulary.vocabulary import (
    Sums,
    Vocabulary,
    beginning,
    definitions,
    measures,
    words,
    working,
)

_MONTHS = (
    r"jan(?:eiro|\.)?|fev(?:ereiro|\.)?|março|mar\.|abr(?:il|\.)?|maio|jun(?:ho|\.)|jul(?:ho|\.)|ago(?:sto|\.)"
    r"|set(?:embro|\.)"
    r"|out(?:ubro|\.)|nov(?:embro|\.)?|dez(?:embro|\.)?"
)
_DAYS = r"(?:segunda|terça|quarta|quinta|sexta)s?-feiras?|sábados?|domingos?"
_UNITS = (
    r"(?:segundos?|minutos?|horas?|dias?|semanas?|quinzenas?|m[êe]s(?:es)?|trimestres?|semestres?|anos?|décadas?"
    r"|séculos?|min|h)"
)
_COUNTS = (
    r"dois|duas|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze|quinze|vinte|trinta|quarenta|cinquenta|sessenta"
    r"|cem|cento"
)
_NUMBER = rf"(?:\d[\d.,]{{0,20}}|{_COUNTS}|uma?|mei[oa])"
_PERSONS = (
    r"president[ea]s?|diretor(?:a|es|as)?|gerentes?|responsáve(?:l|is)|comité|comitê|comissão|conselho|direção"
    r"|diretoria|tesoureir[oa]s?"
    r"|secretári[oa]s?|membros?|sóci[oa]s?|equip[ea]|departamento|empregad[oa]s?|funcionári[oa]s?|proprietári[oa]s?"
    r"|inquilin[oa]s?"
    r"|empresa|companhia|agência|autor(?:a|es|as)?|Sr|Sra|Dra?|dona"
)
_WHAT = r"(?:qual|quais|que)"
_ASKING = (
    "explica explicar explique descreve descrever descreva resume resumir resuma resumo lista listar liste nomeia "
    "nomear nomeie diga dizer dize mostra mostrar mostre enumera enumerar enumere compara comparar compare comparação "
    "diferença diferenças diferem versus vs segundo documento documentos favor responda responder resposta significa "
    "significam quer preciso trata dê dá dar"
)
_SPENDING = (
    "gastar gasto gastos gasta gastamos gastámos gastou pagar paga pago pagos pagamos pagámos pagou pagamento "
    "pagamentos custar custa custam custou custo custos despesa despesas dinheiro valor valores quantia montante soma "
    "fatura faturas compra compras transação transações lançamento lançamentos linha linhas item itens artigo artigos "
    "recibo recibos euro euros reais caro cara caros caras só única único nosso nossa nossos nossas meu minha"
)

VOCABULARY = Vocabulary(
    asking=frozenset(_ASKING.split()),
    spending=frozenset(_SPENDING.split()),
    comparing=words(
        r"compar\w*", r"diferenças?", r"difere[mn]?", r"distingu\w*", "versus", "vs", r"em\s+contraste",
        r"em\s+relação\s+a",
    ),
    listing=beginning(
        r"quais\s+(?:são|eram|foram)", r"quais\s+\w+", r"(?:que|quais)\s+\w+(?:os|as|es|is|ns)", r"list\w*",
        r"enumer\w*", r"nomei\w+", r"cite", r"d(?:ê|á|ar)(?:-me)?\s+(?:uma\s+lista|todos|todas)",
        r"o\s+que\s+(?:inclui|contém|compreende|abrange)", r"o\s+que\s+(?:está\s+incluído|deve\s+(?:conter|incluir))",
    ),
    steps=words(
        r"como\s+(?:é\s+que\s+)?(?:posso|podemos|pode|devo|devemos|deve|faço|fazemos|fazer|se)", r"como\s+\w+[aei]r",
        r"como\s+(?:é|são|está|estão)\s+\w+[ai]d[oa]s?", r"passos?\s+(?:para|de)", r"procedimento\s+(?:para|de)",
        r"instruções\s+para", r"o\s+que\s+(?:devo|tenho\s+(?:de|que)|posso)\s+fazer",
    ),
    overview=words(
        r"resum\w*", r"síntese", r"panorama", r"visão\s+geral", r"descrev\w+", r"fal[ea](?:-me)?\s+(?:sobre|d[eoa])",
        r"conte-me", r"do\s+que\s+(?:trata|fala)\w*", r"de\s+que\s+(?:trata|fala)\w*",
        r"pontos?\s+(?:principais|chave|essenciais)",
        r"o\s+que\s+(?:foi|se)\s+(?:decidi\w*|acord\w*|discuti\w*|dit[oa])",
    ),
    gist=words(r"resum\w*", "síntese", r"visão\s+geral", r"d[eo]\s+que\s+(?:trata|fala)\w*"),
    explaining=words(r"expli\w+", r"por\s?qu[eê]", "como"),
    measures=measures(
        r"quant[oa]s?|cada|com\s+que|a\s+que", "tempo", "vezes", "frequência", "hora", "horas", "quanto", "quantos",
        "quantas", "altura", "distância", "velocidade",
    ),
    working=working("como", r"funciona\w*", r"trabalha\w*"),
    negated=words("não", "nunca", "jamais", "sem", "salvo", "exceto", r"exclu\w*", r"nenhum[a]?", "ninguém", "nem"),
    lacking=words("sem"),
    figures=words(
        r"figuras?", r"esquemas?", r"diagramas?", r"desenhos?", r"imagens?", r"imagem", r"fotos?", r"fotografias?",
        r"gráficos?", r"ilustraç(?:ão|ões)", r"plantas?", r"mapas?", r"que\s+aspe[c]?to", r"mostr[ea](?:-me)?\s+onde",
    ),
    of_document=words(
        "manual", "guia", "documento", "livro", "relatório", "edição", "versão", "prefácio", "licença", "copyright",
        r"autor(?:a|es|as)?", r"escrit[oa]s?", "escreveu", r"publicad[oa]s?", "publicou", r"redigi\w+", r"modific\w+",
        r"alteraç\w+",
    ),
    aggregates=(
        ("average", words(r"(?:em|na)\s+média", "média", "médias", "médio", "médios")),
        (
            "sum",
            words(
                r"quanto(?=\b.{0,60}\b(?:gast|pag|cust)(?:amos|ámos|aram|ado|ou|o|aste|ei)\b)", r"no\s+total",
                r"ao\s+todo", "total", "totais", r"a\s+soma", r"em\s+conjunto",
            ),
        ),
        (
            "largest",
            words(
                r"mais\s+(?:car[oa]|alt[oa]|grande|elevad[oa]|long[oa]|recente|nov[oa]|pesad[oa]|rápid[oa]"
                r"|importante|comprid[oa])s?",
                r"(?:[ao]|[ao]s|nossa|nosso)\s+maior(?:es)?", r"maior(?:es)?", r"máxim[oa]s?", "máx",
                r"(?:[ao]s?\s+que\s+)mais",
            ),
        ),
        (
            "smallest",
            words(
                r"mais\s+(?:barat[oa]|baix[oa]|pequen[oa]|curt[oa]|antig[oa]|velh[oa]|leve|económic[oa]"
                r"|econômic[oa])s?",
                r"menos\s+car[oa]s?", r"menor(?:es)?", r"mínim[oa]s?", "mín", r"(?:[ao]s?\s+que\s+)menos",
            ),
        ),
        ("count", words(
            r"quant[oa]s", r"(?:o\s+)?número\s+d(?:e|os|as)(?!\s+tel)", r"quantas\s+vezes",
            r"a\s+quantidade\s+d(?:e|os|as)"),
        ),
    ),
    more_or_less=words(r"(?:(?P<more>mais)|menos)(?=\s(?:em|n[ao]|com|por|para|durante)\b).{1,60}\bou"),
    asks={
        "frequency": words(
            r"com\s+que\s+frequência", r"de\s+quant[oa]s?\s+em\s+quant[oa]s?", r"quantas\s+vezes",
            r"a\s+cada\s+quant[oa]s?", r"qual\s+(?:é\s+)?a\s+frequência",
        ),
        "duration": words(
            r"quanto\s+(?:tempo|dura\w*|demora\w*)", rf"quant[oa]s\s+{_UNITS}",
            rf"{_WHAT}\s+(?:é\s+)?(?:[oa]\s+)?(?:duração|prazo|período)", r"há\s+quanto",
        ),
        "contact": words(
            r"telefone\w*", r"endereço\w*", "morada", r"e-?mail", r"correio\s+eletrónico", r"contat\w*", r"contact\w*",
            r"(?:site|página\s+web)", "ligar", "fax",
        ),
        "amount": words(
            r"quanto(?!\s+(?:tempo|dura|demora))", r"a\s+quanto",
            rf"{_WHAT}\b.{{0,30}}\b(?:preços?|custos?|tarifas?|valor|montante|aluguel|renda|soma|orçamento|salário"
            rf"|percentagem|porcentagem|taxa|tamanho|peso|velocidade|comprimento|altura|largura|faturação|receitas?)",
        ),
        "number": words(
            r"quant[oa]s", r"a\s+que\s+(?:distância|velocidade|altura)", rf"{_WHAT}\s+é\s+o\s+número", r"que\s+idade",
        ),
        "date": words(
            r"(?:^|(?:desde|até|de|e)\s+)quando", rf"{_WHAT}\s+(?:é\s+)?(?:[oa]\s+)?(?:data|dia|mês|ano|hora)",
            r"a\s+que\s+horas?", r"em\s+que\s+(?:ano|data|mês|dia)", r"data\s+limite",
        ),
        "person": words(r"(?:a\s+|de\s+|com\s+|por\s+)?quem", r"autor(?:a|es|as)?"),
        "reason": words(
            r"por\s?qu[eê]", rf"{_WHAT}\s+(?:é|foi|era)\s+(?:a\s+(?:razão|causa)|o\s+motivo)", r"para\s+qu[eê]",
            r"por\s+que\s+(?:motivo|razão)", r"a\s+que\s+se\s+deve",
        ),
    },
    holds={
        "date": words(
            rf"(?:{_MONTHS})", rf"(?:{_DAYS})", rf"{_NUMBER}\s+{_UNITS}", r"às\s+\d{1,2}", r"\d{1,2}\s?h(?:\d\d)?",
            "meio-dia", "meia-noite", r"(?:início|fim|final|meados|princípio)\s+d[eoa]\s+\w+", "hoje", "amanhã",
            "ontem", r"n[oa]\s+(?:primavera|verão|outono|inverno)",
        ),
        "duration": words(
            rf"{_NUMBER}\s+(?:\w+\s)?{_UNITS}", rf"\d\s?{_UNITS}", r"até\s+(?:[àao]|ao|fim|\d)\w*", r"ilimitad[oa]s?",
            r"indeterminad[oa]s?", r"permanente\w*",
        ),
        "frequency": words(
            "cada", r"tod[oa]s\s+[oa]s", r"por\s+(?:dia|semana|mês|ano|trimestre|hora)", r"ao\s+(?:dia|mês|ano)",
            r"uma\s+vez", r"\w+\s+vezes", r"diári\w*", r"diariamente", r"semana(?:l|is|lmente)",
            r"quinzena(?:l|is|lmente)", r"mensa(?:l|is|lmente)", r"trimestra(?:l|is|lmente)",
            r"semestra(?:l|is|lmente)", r"anua(?:l|is|lmente)", "regularmente", "nunca", "sempre",
        ),
        "amount": words(
            r"grátis", r"gratuit\w*", "nada", r"R\$\s?\d",
            r"(?:preço|tarifa|custo|valor|aluguel|renda)\b[^;:\n]{0,30}:\s*[\d€$£]",
        ),
        "number": words(_COUNTS, r"nenhuma?", r"dezenas?", r"dúzias?"),
        "contact": words(
            r"(?:rua|avenida|av\.|praça|travessa|largo|estrada)"
            r"\s{1,3}[^\s,;][^,;\n]{0,60}?,?\s{1,3}(?:n\.?º\s?)?\d{1,4}"
        ),
        "person": words(rf"(?i:{_PERSONS})"),
        "reason": words(
            "porque", r"pois", r"já\s+que", r"uma\s+vez\s+que", r"visto\s+que", r"dado\s+que", r"devid[oa]s?\s+a\w?",
            r"por\s+causa", r"graças\s+[àa]\w?", r"por\s+isso", "portanto", r"para\s+(?:que|evitar|\w+[aei]r)",
            r"a\s+fim\s+de", r"razão|razões|motivos?|causas?", r"em\s+virtude",
        ),
    },
    prices=words(
        r"cust[ao]s?", r"custam", r"custar", r"preços?", r"tarifas?", r"taxas?", "aluguel", "renda", "caução",
        r"multas?", r"salários?", r"car[oa]s?", r"quotas?", r"mensalidades?",
    ),
    when=beginning("quando"),
    definitions=definitions(
        r"o\s+que\s+(?:é|são|era|significam?|quer\s+dizer|se\s+entende\s+por)|definição\s+d[eoa]|defina|define",
        r"uma?|[oa]s?", r"significa|quer\s+dizer",
        r"é|são|era|significam?|designam?|consiste\s+em|define-se|refere-se|quer\s+dizer|representa",
        r"não|mais|só|apenas|também|\w+[ai]d[oa]s?",
    ),
    sums=Sums(
        money=words(
            r"gast\w*", r"cust\w*", r"pag\w*", r"despesas?", r"car[oa]s?", r"barat[oa]s?", r"preços?", r"valor(?:es)?",
            r"montantes?", r"fatur\w*", "dinheiro",
        ),
        how_much=words("quanto"),
        age=words(r"velh[oa]s?", r"antig[oa]s?", r"recentes?", r"nov[oa]s?"),
        total=words(r"gasto|gastamos|gastámos|gastou|pago|pagamos|pagámos|pagou|custou|custam?"),
        row=words(r"única?o?", r"car[oa]s?", r"barat[oa]s?"),
        per=words(r"(?:qual|quais|que)\s+(?:d[oa]s\s+)?(?P<name>[^\W\d_]{3,30})|(?P<person>quem)"),
    ),
)  # fmt: skip
