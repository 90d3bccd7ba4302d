"""Made-up files of a few rows in the formats of the sources of the data sets, and what is to become of them."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import io
import zipfile

from rulelab.datasets.registry import RECORDS, Record

BUPA = b"85,92,45,27,31,0.0,1\n85,64,59,32,23,2.0,2\n86,54,33,16,54,3.0,2\n"
LIVER = b"mcv,alkphos,sgpt,sgot,gammagt,drinks_gt_2\n85,92,45,27,31,0\n85,64,59,32,23,0\n86,54,33,16,54,1\n"


def small_record(name: str, csv: bytes, url: str) -> Record:
    """The record of a data set as if it consisted of that CSV and were found there."""
    return dataclasses.replace(RECORDS[name], url=url, sha256=hashlib.sha256(csv).hexdigest())


def zipped(**members: bytes) -> bytes:
    """A zip archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


COMPAS_HEADER = (
    "id,name,first,last,compas_screening_date,sex,dob,age,age_cat,race,juv_fel_count,decile_score,juv_misd_count,"
    "juv_other_count,priors_count,days_b_screening_arrest,c_jail_in,c_jail_out,c_case_number,c_offense_date,"
    "c_arrest_date,c_days_from_compas,c_charge_degree,c_charge_desc,is_recid,r_case_number,r_charge_degree,"
    "r_days_from_arrest,r_offense_date,r_charge_desc,r_jail_in,r_jail_out,violent_recid,is_violent_recid,"
    "vr_case_number,vr_charge_degree,vr_offense_date,vr_charge_desc,type_of_assessment,decile_score,score_text,"
    "screening_date,v_type_of_assessment,v_decile_score,v_score_text,v_screening_date,in_custody,out_custody,"
    "priors_count,start,end,event,two_year_recid"
)


def compas_row(**cells: object) -> str:
    return ",".join(str(cells.get(column, "")) for column in COMPAS_HEADER.split(","))


COMPAS_RAW = "\r\n".join(
    [
        COMPAS_HEADER,
        compas_row(
            id=1, name="ann example", first="ann", last="example", dob="1970-01-02", c_case_number="00X", sex="Female",
            age=44, age_cat="25 - 45", race="Other", juv_fel_count=0, decile_score=3, juv_misd_count=1,
            juv_other_count=0, priors_count=2, days_b_screening_arrest=-1, c_charge_degree="F",
            c_charge_desc='"Theft, petty"', is_recid=0, score_text="Low", two_year_recid=0,
        ),
        compas_row(
            id=2, name="bob example", sex="Male", age=20, age_cat="Less than 25", race="Caucasian", juv_fel_count=0,
            decile_score=9, juv_misd_count=0, juv_other_count=0, priors_count=0, c_charge_degree="M", is_recid=1,
            score_text="High", two_year_recid=1,
        ),
        "",
    ]
).encode()  # fmt: skip
ADULT_RAW = zipped(
    **{
        "adult.data": (
            b"39, State-gov, 77, Bachelors, 13, Divorced, ?, Husband, White, Male, 2174, 0, 40, Cuba, <=50K\n\n"
        ),
        "adult.names": b"| text",
        "adult.test": (
            b"|1x3 Cross validator\n"
            b"25, Private, 9, 11th, 7, Divorced, Sales, Wife, Black, Female, 0, 0, 40, ?, >50K.\n\n"
        ),
    }
)
BANK_RAW = zipped(
    **{
        "bank.zip": zipped(
            **{
                "bank.csv": b'"age"\n1\n',
                "bank-full.csv": b'"age";"job";"day";"y"\n58;"admin.";5;"no"\n33;"unknown";6;"yes"\n',
            }
        ),
        "bank-additional.zip": zipped(
            **{
                "__MACOSX/bank-additional/._bank-additional-full.csv": b"\x00",
                "bank-additional/bank-additional-full.csv": (
                    b'"age";"job";"emp.var.rate";"cons.price.idx";"cons.conf.idx";"euribor3m";"nr.employed";"y"\n'
                    b'56;"basic.4y";1.1;93.994;-36.4;4.857;5191;"no"\n'
                ),
            }
        ),
    }
)
AMOUNTS = [f"BILL_AMT{i}" for i in range(1, 7)] + [f"PAY_AMT{i}" for i in range(1, 7)]
DEFAULT_RAW = (
    ",".join(["ID", *(f"X{i}" for i in range(1, 24)), "Y"])
    + "\n1,20000,2,2,1,24,2,2,-1,-1,-2,-2,3913,3102,689,0,0,0,0,689,0,0,0,0,1\n"
    + "2,50000,1,3,2,37,0,0,0,0,0,0,-5,1,2,3,4,5,6,7,8,9,10,11,0\n"
).encode()
HEART_RAW = (
    b"63.0,1.0,1.0,145.0,233.0,1.0,2.0,150.0,0.0,2.3,3.0,0.0,6.0,0\n"
    b"52.0,0.0,3.0,138.0,223.0,0.0,0.0,169.0,0.0,0.0,1.0,?,3.0,0\n"
    b"67.0,0.0,4.0,160.0,286.0,0.0,2.0,108.0,1.0,1.5,2.0,3.0,?,2\n"
)
NORMALISED = {
    "compas": (
        COMPAS_RAW,
        "sex,age,age_cat,race,juv_fel_count,juv_misd_count,juv_other_count,priors_count,c_charge_degree,"
        "days_b_screening_arrest,decile_score,score_text,is_recid,two_year_recid\n"
        "Female,44,25 - 45,Other,0,1,0,2,F,-1.0,3,Low,0,0\nMale,20,Less than 25,Caucasian,0,0,0,0,M,,9,High,1,1\n",
    ),
    "adult": (
        ADULT_RAW,
        "age,workclass,fnlwgt,education,education_num,marital_status,occupation,relationship,race,sex,capital_gain,"
        "capital_loss,hours_per_week,native_country,income\n"
        "39,State-gov,77,Bachelors,13,Divorced,?,Husband,White,Male,2174,0,40,Cuba,<=50K\n"
        "25,Private,9,11th,7,Divorced,Sales,Wife,Black,Female,0,0,40,?,>50K\n",
    ),
    "bank_full": (BANK_RAW, "age,job,day,y\n58,admin.,5,no\n33,unknown,6,yes\n"),
    "bank_marketing": (
        BANK_RAW,
        "age,job,emp.var.rate,cons.price.idx,cons.conf.idx,euribor3m,nr.employed,y\n"
        "56,basic.4y,1.1,93.994,-36.4,4.857,5191.0,no\n",
    ),
    "default": (
        DEFAULT_RAW,
        "LIMIT_BAL,SEX,EDUCATION,MARRIAGE,AGE,PAY_0,PAY_2,PAY_3,PAY_4,PAY_5,PAY_6,"
        + ",".join(AMOUNTS)
        + ",default_next_month\n20000.0,female,2,1,24,2,2,-1,-1,-2,-2,3913.0,3102.0,689.0,0.0,0.0,0.0,0.0,689.0,0.0,"
        "0.0,0.0,0.0,1\n50000.0,male,3,2,37,0,0,0,0,0,0,-5.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0,10.0,11.0,0\n",
    ),
    "banknote": (
        zipped(**{"data_banknote_authentication.txt": b"3.6216,8.6661,-2.8073,-0.44699,0\r\n4.50,8,-2.4,-1.4,1\r\n"}),
        "variance,skewness,curtosis,entropy,class\n3.6216,8.6661,-2.8073,-0.44699,0\n4.5,8.0,-2.4,-1.4,1\n",
    ),
    "heart": (
        zipped(**{"cleveland.data": b"\xff", "processed.cleveland.data": HEART_RAW}),
        "age,sex,cp,trestbps,chol,fbs,restecg,thalach,exang,oldpeak,slope,ca,thal,disease\n"
        "63.0,male,1.0,145.0,233.0,1.0,2.0,150.0,0.0,2.3,3.0,0.0,6.0,0\n"
        "67.0,female,4.0,160.0,286.0,0.0,2.0,108.0,1.0,1.5,2.0,3.0,,1\n",
    ),
    "ionosphere": (
        zipped(**{"ionosphere.data": ("1,0," + ",".join(["1", "-0.03760"] * 16) + ",g\n").encode()}),
        ",".join(f"a{i:02d}" for i in range(1, 35)) + ",class\n1,0," + ",".join(["1.0", "-0.0376"] * 16) + ",g\n",
    ),
    "liver": (zipped(**{"bupa.data": BUPA}), LIVER.decode()),
    "transfusion": (
        zipped(
            **{
                "transfusion.data": (
                    b"Recency (months),Frequency (times),Monetary (c.c. blood),Time (months),"
                    b'"whether he/she donated blood in March 2007"\r\n2 ,50,12500,98 ,1\r\n0 ,13,3250,28 ,0\r\n'
                )
            }
        ),
        "recency_months,frequency,monetary_cc,time_months,donated\n2,50,12500,98,1\n0,13,3250,28,0\n",
    ),
    "magic": (
        zipped(**{"magic04.data": b"28.7967,16.0021,2.6449,0.3918,0.1982,27.7004,22.0110,-8.2027,40,81.8828,g\n"}),
        "fLength,fWidth,fSize,fConc,fConc1,fAsym,fM3Long,fM3Trans,fAlpha,fDist,class\n"
        "28.7967,16.0021,2.6449,0.3918,0.1982,27.7004,22.011,-8.2027,40.0,81.8828,g\n",
    ),
    "mushroom": (
        zipped(**{"agaricus-lepiota.data": b"p,x,s,n,t,p,f,c,n,k,e,?,s,s,w,w,p,w,o,p,k,s,u\n"}),
        "cap_shape,cap_surface,cap_color,bruises,odor,gill_attachment,gill_spacing,gill_size,gill_color,stalk_shape,"
        "stalk_root,stalk_surface_above_ring,stalk_surface_below_ring,stalk_color_above_ring,stalk_color_below_ring,"
        "veil_type,veil_color,ring_number,ring_type,spore_print_color,population,habitat,class\n"
        "x,s,n,t,p,f,c,n,k,e,?,s,s,w,w,p,w,o,p,k,s,u,p\n",
    ),
    "musk": (
        gzip.compress(
            (
                "\t".join(["molecule_name", "conformation_name", *(f"f{i}" for i in range(1, 167)), "target"])
                + "\n7\t3\t"
                + "\t".join(str(i - 80) for i in range(166))
                + "\t1\n"
            ).encode()
        ),
        ",".join([*(f"f{i}" for i in range(1, 167)), "target"])
        + "\n"
        + ",".join(f"{i - 80}.0" for i in range(166))
        + ",1\n",
    ),
    "german": (
        zipped(
            **{
                "german.data-numeric": b"1",
                "german.data": (
                    b"A11 6 A34 A43 1169 A65 A75 4 A93 A101 4 A121 67 A143 A152 2 A173 1 A192 A201 1\n"
                    b"A12 48 A32 A43 5951 A61 A73 2 A92 A101 2 A121 22 A143 A152 1 A173 1 A191 A201 2\n"
                ),
            }
        ),
        "checking_status,duration,credit_history,purpose,amount,savings,employed_since,installment_rate,"
        "personal_status,sex,other_debtors,residence_since,property,age,other_installments,housing,existing_credits,"
        "job,liable_for,telephone,foreign_worker,risk\n"
        "A11,6,A34,A43,1169,A65,A75,4,A93,male,A101,4,A121,67,A143,A152,2,A173,1,A192,A201,good\n"
        "A12,48,A32,A43,5951,A61,A73,2,A92,female,A101,2,A121,22,A143,A152,1,A173,1,A191,A201,bad\n",
    ),
    "pima": (
        b"6,148,72,35,0,33.6,0.627,50,1\r\n1,85,66,29,0,26,0.351,31,0\r\n",
        "pregnancies,glucose,blood_pressure,skin_thickness,insulin,bmi,pedigree,age,diabetes\n"
        "6,148,72,35,0,33.6,0.627,50,1\n1,85,66,29,0,26.0,0.351,31,0\n",
    ),
    "ilpd": (
        zipped(
            **{
                "Indian Liver Patient Dataset (ILPD).csv": (
                    b"65,Female,0.7,0.1,187,16,18,6.8,3.3,0.9,1\n45,Male,0.9,0.3,189,23,33,6.6,3.9,,2\n"
                )
            }
        ),
        "age,sex,total_bilirubin,direct_bilirubin,alkaline_phosphatase,alanine_aminotransferase,"
        "aspartate_aminotransferase,total_proteins,albumin,albumin_globulin_ratio,liver_patient\n"
        "65,female,0.7,0.1,187,16,18,6.8,3.3,0.9,1\n45,male,0.9,0.3,189,23,33,6.6,3.9,,0\n",
    ),
    "heloc": (
        b"RiskPerformance,ExternalRiskEstimate,NumSatisfactoryTrades\nBad,55,20\nGood,-9,-9\n",
        "ExternalRiskEstimate,NumSatisfactoryTrades,RiskPerformance\n55,20,Bad\n-9,-9,Good\n",
    ),
}
NOT_SHARED = {"german", "pima", "ilpd", "heloc"}
"""Of which no file is beside the project."""
