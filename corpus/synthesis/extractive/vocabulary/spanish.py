"""Spanish questions, and the texts that answer them."""

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
    r"ene(?:ro|\.)?|feb(?:rero|\.)?|marzo|abril|abr\.|mayo|jun(?:io|\.)|jul(?:io|\.)|ago(?:sto|\.)|sept?(?:iembre|\.)?"
    r"|setiembre|oct(?:ubre|\.)?|nov(?:iembre|\.)?|dic(?:iembre|\.)?"
)
_DAYS = r"lunes|martes|miércoles|jueves|viernes|sábados?|domingos?"
_UNITS = (
    r"(?:segundos?|minutos?|horas?|días?|semanas?|quincenas?|mes(?:es)?|trimestres?|semestres?|años?|décadas?"
    r"|siglos?|min|h)"
)
_COUNTS = (
    r"dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|quince|veinte|treinta|cuarenta|cincuenta|sesenta"
    r"|cien(?:to)?"
)
_NUMBER = rf"(?:\d[\d.,]{{0,20}}|{_COUNTS}|una?|medi[oa])"
_PERSONS = (
    r"president[ea]s?|director(?:a|es|as)?|gerentes?|responsables?|comité|comisión|consejo|junta|tesorer[oa]s?"
    r"|secretari[oa]s?"
    r"|miembros?|soci[oa]s?|equipo|departamento|emplead[oa]s?|propietari[oa]s?|inquilin[oa]s?|empresa|compañía|agencia"
    r"|autor(?:a|es|as)?|Sr|Sra|Srta|don|doña"
)
_ASKING = (
    "explica explicar explique explícame describe describir describa resume resumir resuma resumen lista listar liste "
    "nombra nombrar nombre di dime decir diga muestra mostrar muestre muéstrame enumera enumerar enumere compara "
    "comparar compare comparación diferencia diferencias diferencian difieren versus vs según documento documentos "
    "favor responde responder respuesta significa significan quiere necesito trata da dame dar"
)
_SPENDING = (
    "gastar gasto gastos gastado gastada gastamos gastó pagar paga pago pagos pagado pagada pagamos pagó costar "
    "cuesta cuestan costado costó coste costes costo costos dinero importe importes cantidad monto montos suma "
    "factura facturas compra compras transacción transacciones asiento asientos fila filas línea líneas partida "
    "partidas artículo artículos recibo recibos euro euros caro cara caros caras solo sola único única nuestro "
    "nuestra nuestros nuestras mi mis"
)

VOCABULARY = Vocabulary(
    asking=frozenset(_ASKING.split()),
    spending=frozenset(_SPENDING.split()),
    comparing=words(
        r"compar\w*", r"diferencias?", r"diferencian?", r"difieren?", r"distingu\w*", "versus", "vs", r"en\s+contraste",
        r"frente\s+a",
    ),
    listing=beginning(
        r"(?:cuáles|qué)\s+(?:son|eran|fueron)", r"qué\s+\w+(?:os|as|es)", r"list\w*", r"enumer\w*", r"nombr[ae]r?",
        r"cita[r]?", r"da(?:me|r)?\s+(?:una\s+lista|todos|todas)", r"qué\s+(?:incluye|contiene|comprende|abarca)",
        r"qué\s+(?:está\s+incluido|debe\s+(?:contener|incluir))",
    ),
    steps=words(
        r"cómo\s+(?:puedo|podemos|puede|debo|debemos|debe|tengo|hay|hago|hacemos|se|hacer)", r"cómo\s+\w+[aei]r",
        r"cómo\s+(?:es|son|está|están)\s+\w+[ai]d[oa]s?", r"pasos?\s+(?:para|de)", r"procedimiento\s+(?:para|de)",
        r"instrucciones\s+para", r"qué\s+(?:debo|tengo\s+que|hay\s+que|puedo)\s+hacer",
    ),
    overview=words(
        r"resum\w*", r"síntesis", r"panorama", r"visión\s+general", r"descri\w+", r"háblame", r"cuéntame",
        r"de\s+qué\s+(?:trata|habla|va)\w*", r"puntos?\s+(?:principales|clave|esenciales)",
        r"qué\s+se\s+(?:decidió|acordó|discutió|dijo|ha\s+\w+)",
    ),
    gist=words(r"resum\w*", "síntesis", r"visión\s+general", r"de\s+qué\s+(?:trata|habla|va)\w*"),
    explaining=words(r"expli\w+", r"por\s+qué", "cómo"),
    measures=measures(
        r"cuánt[oa]s?|cada|con\s+qué|a\s+qué", "tiempo", "cuánto", "cuántos", "cuántas", "frecuencia", "hora", "fecha",
        "altura", "distancia", "velocidad", "veces",
    ),
    working=working("cómo", r"funciona\w*", r"trabaja\w*"),
    negated=words(
        "no", "nunca", "jamás", "sin", "salvo", "excepto", r"exclu\w*", r"ningun[oa]s?", "ningún", "tampoco", "nadie",
    ),
    lacking=words("sin"),
    figures=words(
        r"figuras?", r"esquemas?", r"diagramas?", r"dibujos?", r"im[aá]gen(?:es)?", r"fotos?", r"fotografías?",
        r"gráfic[oa]s?", r"ilustraci(?:ón|ones)", r"planos?", r"mapas?", r"aspecto\s+tiene",
        r"mu[eé]stra(?:me)?\s+dónde",
    ),
    of_document=words(
        "manual", "guía", "documento", "libro", "informe", "edición", "versión", "prólogo", "prefacio", "licencia",
        "copyright", r"autor(?:a|es|as)?", r"escrit[oa]s?", "escribió", r"publicad[oa]s?", "publicó", r"redact\w+",
        r"modific\w+", "cambios?",
    ),
    aggregates=(
        ("average", words(r"(?:en|de)\s+promedio", "promedio", r"medi[oa]", r"(?:en|de|por\s+término)\s+media")),
        (
            "sum",
            words(
                r"cuánto(?=\b.{0,60}\b(?:gast|pag|cost)(?:amos|aron|ado|ó|é|asteis|aste)\b)", r"en\s+total", "total",
                "totales", r"la\s+suma", r"en\s+conjunto", r"sumad[oa]s?",
            ),
        ),
        (
            "largest",
            words(
                r"más\s+(?:car[oa]|alt[oa]|grande|elevad[oa]|larg[oa]|reciente|nuev[oa]|pesad[oa]|costos[oa]"
                r"|rápid[oa]|importante)s?",
                r"(?:el|la|los|las)\s+(?:que\s+)?más(?!\s+(?:barat|baj|pequeñ|cort|antigu|viej))",
                r"(?:el|la|los|las|nuestr[oa])\s+mayor(?:es)?", "mayor", "máxim[oa]s?", "máx",
            ),
        ),
        (
            "smallest",
            words(
                r"más\s+(?:barat[oa]|baj[oa]|pequeñ[oa]|cort[oa]|antigu[oa]|viej[oa]|ligero|económic[oa])s?",
                r"menos\s+car[oa]s?", r"(?:el|la|los|las)\s+(?:que\s+)?menos", r"(?:el|la|los|las)\s+menor(?:es)?",
                "menor", r"mínim[oa]s?", "mín",
            ),
        ),
        ("count", words(r"cuánt[oa]s", r"(?:el\s+)?número\s+de(?!\s+tel)", r"cuántas\s+veces", r"la\s+cantidad\s+de")),
    ),
    more_or_less=words(r"(?:(?P<more>más)|menos)(?=\s(?:en|por|con|para|a|al|durante)\b).{1,60}\bo"),
    asks={
        "frequency": words(r"con\s+qué\s+frecuencia", r"cada\s+cuánt[oa]s?", r"cuántas\s+veces", r"qué\s+frecuencia"),
        "duration": words(
            r"cuánto\s+(?:tiempo|dura\w*|tarda\w*)", rf"cuánt[oa]s\s+{_UNITS}",
            r"(?:qué|cuál\s+es\s+(?:el|la))\s+(?:duración|plazo|período|periodo)",
        ),
        "contact": words(
            r"teléfono\w*", r"dirección\w*", r"e-?mail", r"correo(?:\s+electrónico)?", r"contact\w*",
            r"(?:sitio|página)\s+web", "llamar", "fax", r"cómo\s+\w+\s+localizar",
        ),
        "amount": words(
            r"cuánto(?!\s+(?:tiempo|dura|tarda))", r"a\s+cuánto",
            r"(?:qué|cuál|cuáles)\b.{0,30}\b(?:precios?|costes?|costos?|tarifas?|importes?|montos?|alquiler|suma"
            r"|presupuesto|salario|sueldo|porcentaje|tasa|tamaño|peso|velocidad|longitud|altura|anchura|facturación"
            r"|ingresos)",
        ),
        "number": words(r"cuánt[oa]s", r"a\s+qué\s+(?:distancia|velocidad|altura)", r"qué\s+número", r"qué\s+edad"),
        "date": words(
            r"(?:desde\s+|hasta\s+)?cuándo", r"(?:qué|cuál\s+es\s+(?:el|la))\s+(?:fecha|día|mes|año|hora)",
            r"fecha\s+(?:límite|tope)", r"en\s+qué\s+(?:año|fecha|mes)", "plazo",
        ),
        "person": words(r"(?:a\s+|de\s+|con\s+|por\s+)?quién(?:es)?", r"autor(?:a|es|as)?"),
        "reason": words(
            r"por\s+qué", r"cuál\s+(?:es|fue|era)\s+(?:la|el)\s+(?:razón|causa|motivo)", r"para\s+qué",
            r"a\s+qué\s+se\s+debe",
        ),
    },
    holds={
        "date": words(
            rf"(?:{_MONTHS})", rf"(?:{_DAYS})", rf"{_NUMBER}\s+{_UNITS}", r"a\s+las?\s+\d{1,2}", r"mediodía",
            "medianoche", r"(?:principios|finales|mediados|comienzos|inicio|fin)\s+de(?:l)?\s+\w+", "hoy", "mañana",
            "ayer", r"en\s+(?:primavera|verano|otoño|invierno)",
        ),
        "duration": words(
            rf"{_NUMBER}\s+(?:\w+\s)?{_UNITS}", rf"\d\s?{_UNITS}", r"hasta\s+(?:el|la|que|finales|\d)",
            r"ilimitad[oa]s?", r"indefinid\w*", r"permanente\w*",
        ),
        "frequency": words(
            "cada", r"tod[oa]s\s+l[oa]s", r"por\s+(?:día|semana|mes|año|trimestre|hora)",
            r"al\s+(?:día|mes|año|trimestre)", r"a\s+la\s+semana", r"una\s+vez", r"\w+\s+veces", r"diari\w*",
            r"semanal\w*", r"quincenal\w*", r"mensual\w*", r"trimestral\w*", r"semestral\w*", r"anual\w*",
            "regularmente", "nunca", "siempre",
        ),
        "amount": words(
            r"gratis", r"gratuit\w*", "nada",
            r"(?:precio|tarifa|coste|costo|importe|monto|alquiler)\b[^;:\n]{0,30}:\s*[\d€$£]",
        ),
        "number": words(_COUNTS, r"ningun[oa]s?", "ningún", r"decenas?", r"docenas?"),
        "contact": words(
            r"(?:calle|avenida|avda\.|plaza|paseo|camino|carretera)"
            r"\s{1,3}[^\s,;][^,;\n]{0,60}?,?\s{1,3}\d{1,4}"
        ),
        "person": words(rf"(?i:{_PERSONS})"),
        "reason": words(
            "porque", "ya\\s+que", r"puesto\s+que", r"dado\s+que", r"debid[oa]s?\s+a", r"a\s+causa", r"gracias\s+a",
            r"por\s+(?:eso|ello|lo\s+que|tanto)", r"para\s+(?:que|evitar|\w+[aei]r)", r"razón|razones|motivos?|causas?",
            r"pues", r"con\s+el\s+fin", r"a\s+fin\s+de",
        ),
    },
    prices=words(
        r"cuesta\w*", r"cost[eo]s?", r"costar", r"precios?", r"tarifas?", r"tasas?", "alquiler", "fianza", r"multas?",
        r"salarios?", r"sueldos?", r"car[oa]s?", r"cuotas?",
    ),
    when=beginning("cuándo"),
    definitions=definitions(
        r"qué\s+(?:es|son|era|significan?|quiere\s+decir|se\s+entiende\s+por)|definición\s+de|define|defina",
        r"una?|el|la|los|las|lo", r"significan?|quiere\s+decir",
        r"es|son|era|significan?|designan?|denomina|consiste\s+en|se\s+define|se\s+refiere|quiere\s+decir|representa",
        r"no|más|solo|sólo|también|\w+[ai]d[oa]s?",
    ),
    sums=Sums(
        money=words(
            r"gast\w*", r"c(?:o|ue)st\w*", r"pag\w*", r"car[oa]s?", r"barat[oa]s?", r"precios?", r"importes?",
            r"montos?", r"factur\w*", "dinero",
        ),
        how_much=words("cuánto"),
        age=words(r"viej[oa]s?", r"antigu[oa]s?", r"recientes?", r"nuev[oa]s?"),
        total=words(r"gastado|gastamos|gastó|pagado|pagamos|pagó|costado|costó|cuestan?"),
        row=words(r"sol[oa]", r"únic[oa]", r"car[oa]s?", r"barat[oa]s?", r"costos[oa]s?"),
        per=words(r"(?:qué|cuál\s+de\s+l[oa]s)\s+(?P<name>[^\W\d_]{3,30})|(?P<person>quién(?:es)?)"),
    ),
)  # fmt: skip
